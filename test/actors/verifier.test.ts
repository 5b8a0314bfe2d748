import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Question } from '../../src/actors/events/question.ts'
import { openVerifier } from '../../src/actors/verifier.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { FullNode } from '../../src/ports/authorities/full-node.ts'
import { LANES } from '../../src/runtime/lanes.ts'
import { EvidenceRecord, TOPICS } from '../../src/schemas/log.ts'
import { checkerWith, nodeWith, unspentAnswer } from '../support/chain/scripted-authorities.ts'
import { toOutpointText } from '../support/ids.ts'
import { MemoryLog } from '../support/log/memory-log.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { askClaim, hash } from '../support/orders/evidence.ts'

const nth = (n: number, changes: Partial<Question> = {}): Question => ({
  orderId: hash(`order ${n}`),
  outpoint: toOutpointText(`${hash(`output ${n}`)}:0`),
  attempt: n + 1,
  begunAt: null,
  mempoolSequence: null,
  claims: [askClaim()],
  known: { spend: null, outputBlock: null },
  lane: LANES.judgement,
  ...changes,
})

function open(node: Partial<FullNode>, concurrency = 2, log = new MemoryLog()) {
  const clock = new ManualClock()
  const faults: unknown[] = []
  const signatures = checkerWith(() => ({ status: 'valid' }))
  const verifier = openVerifier({
    authorities: { signatures, clock },
    inLane: () => ({ node: nodeWith(node), index: null }),
    log,
    concurrency,
    onFault: (error) => faults.push(error),
  })
  return { verifier, log, clock, faults }
}
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}
const answered = (log: MemoryLog) =>
  log.records.map(({ value }) => EvidenceRecord.parse(value).orderId)

/** A node whose answers wait until the test releases them. */
function gatedNode() {
  const waiting: (() => void)[] = []
  const asked: string[] = []
  const node: Partial<FullNode> = {
    output: async ({ txid }) => {
      asked.push(txid)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return unspentAnswer({ confirmations: 0 })
    },
  }
  const letGo = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { node, asked, letGo }
}

test('an answer returns to the partition of its order, under its attempt', async () => {
  const { verifier, log } = open({ output: async () => unspentAnswer({ confirmations: 0 }) })
  verifier.ask(nth(3))
  await settled()
  expect(log.records).toMatchObject([
    {
      topic: TOPICS.inbox,
      partition: partitionOf(nth(3).outpoint, log.partitions),
      key: nth(3).outpoint,
      value: { kind: 'evidence', attempt: 4, evidence: { node: { status: 'ready' } } },
    },
  ])
  expect(verifier.size).toBe(0)
})

test('no more are in flight than allowed, and the first lane precedes the others', async () => {
  const { node, asked, letGo } = gatedNode()
  const { verifier } = open(node, 2)
  for (const n of [0, 1, 2, 3]) verifier.ask(nth(n))
  verifier.ask(nth(4, { lane: LANES.first }))
  await settled()
  expect(asked).toEqual([0, 1].map((n) => hash(`output ${n}`)))
  expect(verifier.size).toBe(5)
  letGo()
  await settled()
  expect(asked.slice(2)).toEqual([4, 2].map((n) => hash(`output ${n}`)))
  letGo()
  await settled()
  letGo()
  await settled()
  expect(verifier.size).toBe(0)
})

test('a failed question gives its place to others, and is retried later and later', async () => {
  let broken = true
  const { verifier, log, clock, faults } = open(
    {
      output: async ({ txid }) => {
        if (broken && txid === hash('output 0')) throw new TypeError('a defect')
        return unspentAnswer({ confirmations: 0 })
      },
    },
    1,
  )
  verifier.ask(nth(0))
  verifier.ask(nth(1))
  await settled()
  expect(answered(log)).toEqual([hash('order 1')])
  for (const [ms, tries] of [
    [99, 1],
    [1, 2],
    [199, 2],
    [1, 3],
  ] as const) {
    clock.advance(ms)
    await settled()
    expect(faults).toHaveLength(tries)
  }
  broken = false
  clock.advance(5_000)
  await settled()
  expect(answered(log)).toEqual([hash('order 1'), hash('order 0')])
  expect(verifier.size).toBe(0)
})

test('an answer that the log does not take is asked for again', async () => {
  const log = new MemoryLog()
  const append = log.append.bind(log)
  let full = true
  log.append = async (records) => {
    if (full) throw new Error('no space left')
    return append(records)
  }
  const { verifier, clock, faults } = open({}, 1, log)
  verifier.ask(nth(0))
  await settled()
  expect([faults.length, log.records.length]).toEqual([1, 0])
  full = false
  clock.advance(100)
  await settled()
  expect(answered(log)).toEqual([hash('order 0')])
})

test('an unavailable node is an answer, not a fault', async () => {
  const { verifier, log, faults } = open({})
  verifier.ask(nth(0))
  await settled()
  expect(faults).toEqual([])
  expect(log.records).toHaveLength(1)
})

test('closed, it waits for questions in flight and begins no more', async () => {
  const { node, asked, letGo } = gatedNode()
  const { verifier, log, clock } = open(
    {
      ...node,
      chain: async () => {
        if (asked.length > 0) throw new TypeError('a defect')
        return nodeWith().chain()
      },
    },
    1,
  )
  verifier.ask(nth(0))
  verifier.ask(nth(1))
  await settled()
  let closed = false
  const closing = verifier.close().then(() => {
    closed = true
  })
  await settled()
  expect(closed).toBe(false)
  letGo()
  await closing
  verifier.ask(nth(2))
  clock.advance(60_000)
  await settled()
  expect(asked).toEqual([hash('output 0')])
  expect(log.records).toEqual([])
  expect(verifier.size).toBe(0)
})

test('a flood of unproved orders leaves a place for proved ones, and is deferred beyond its bound', async () => {
  const { node, asked, letGo } = gatedNode()
  const { verifier, log } = open(node, 4)
  for (let n = 0; n < 1_000; n += 1) verifier.ask(nth(n))
  for (let n = 1_000; n < 2_000; n += 1) verifier.ask(nth(n, { lane: LANES.later }))
  await settled()
  // Three places of four; 512 wait in each lane, and one more of neither.
  expect(asked).toHaveLength(3)
  expect(log.records).toHaveLength(2_000 - 3 - 512 - 512)
  const records = log.records.map(({ value }) => EvidenceRecord.parse(value))
  for (const { evidence } of records) {
    expect(evidence.node).toEqual({ status: 'unavailable', reason: 'node_unavailable' })
  }
  verifier.ask(nth(2_000, { lane: LANES.first }))
  await settled()
  expect(asked.at(-1)).toBe(hash('output 2000'))
  letGo()
  const closed = verifier.close()
  letGo()
  await closed
  expect(verifier.size).toBe(0)
})
