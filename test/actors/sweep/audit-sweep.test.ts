import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openAuditSweep } from '../../../src/actors/sweep/audit-sweep.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import type { OutputContents } from '../../../src/ports/authorities/asset-index.ts'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { OutputAnswer } from '../../../src/ports/authorities/full-node.ts'
import { CommandRecord, TOPICS } from '../../../src/schemas/log.ts'
import { contentsOf, unspentAnswer } from '../../support/chain/scripted-authorities.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { watermark } from '../../support/log/watermarks.ts'
import { importOf, WorkerHost } from '../../support/log/worker-host.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import {
  assetClaim,
  bidClaim,
  evidenceOf,
  FUNDING_OUTPOINT,
  hash,
  inscriptionAt,
  OUTPOINT,
} from '../../support/orders/evidence.ts'
import { liveOrder, ORDER_ID } from '../../support/orders/orders.ts'

const GRACE_MS = 10_000
const ABSENT: OutputAnswer = { status: 'absent' }
const order = liveOrder({ assets: [assetClaim()] })
const holding = contentsOf({ inscriptionIds: [inscriptionAt().id] })

/** A sweep over authorities that give these answers in turn, the last one forever. */
function sweepWith(outputs: OutputAnswer[], assets: (OutputContents | null)[] = [holding]) {
  const log = new MemoryLog()
  const clock = new ManualClock()
  const faults: unknown[] = []
  const asked = { node: 0, index: 0 }
  const answerAt = <T>(answers: readonly T[], turn: number) =>
    answers[Math.min(turn, answers.length - 1)] as T
  const sweep = openAuditSweep({
    node: {
      outputs: async (outpoints) => {
        const answer = answerAt(outputs, asked.node++)
        return outpoints.map(() => answer)
      },
    },
    index: {
      contents: async (outpoints) => {
        const answer = answerAt(assets, asked.index++)
        return outpoints.map(() => answer)
      },
    },
    log,
    clock,
    roundMs: 60_000,
    graceMs: GRACE_MS,
    newRequestId: () => `audit ${log.records.length}`,
    onFault: (error) => faults.push(error),
  })
  return { sweep, log, clock, faults, asked }
}

async function round({ sweep, clock }: ReturnType<typeof sweepWith>) {
  const done = sweep.round()
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  clock.advance(GRACE_MS)
  await done
}

test('an order whose output is unspent and holds its asset is left alone', async () => {
  const parts = sweepWith([unspentAnswer()])
  parts.sweep.add([order])
  await round(parts)
  expect(parts.log.records).toEqual([])
  expect(parts.asked).toEqual({ node: 1, index: 1 })
  await round(parts)
  expect(parts.asked.node).toBe(1)
})

test('an order that the node contradicts twice is reported to its actor', async () => {
  const parts = sweepWith([ABSENT])
  parts.sweep.add([order])
  await round(parts)
  expect(parts.log.records).toMatchObject([
    { topic: TOPICS.inbox, partition: partitionOf(OUTPOINT, 4), key: OUTPOINT },
  ])
  expect(CommandRecord.parse(parts.log.records[0]?.value)).toMatchObject({
    command: 'audit',
    orderId: ORDER_ID,
    found: 'the output is absent',
  })
})

test.each<[string, OutputAnswer[], (OutputContents | null)[]]>([
  ['news was merely on its way', [ABSENT, unspentAnswer()], [holding]],
  ['the index has not examined it', [unspentAnswer()], [contentsOf({ indexed: false })]],
  ['the index does not know it', [unspentAnswer()], [null]],
])('nothing is reported when %s', async (_, outputs, assets) => {
  const parts = sweepWith(outputs, assets)
  parts.sweep.add([order])
  await round(parts)
  expect(parts.log.records).toEqual([])
})

test('a bid whose funding is spent is reported, and asked about together with the others', async () => {
  const parts = sweepWith([unspentAnswer(), ABSENT, unspentAnswer(), ABSENT], [null])
  parts.sweep.add([liveOrder({}, bidClaim()), { ...order, id: hash('ask') }])
  await round(parts)
  expect(parts.asked.node).toBe(4)
  expect(parts.log.records).toMatchObject([
    { value: { orderId: ORDER_ID, found: `its funding ${FUNDING_OUTPOINT} is not unspent` } },
  ])
})

test('an asset that is gone is reported', async () => {
  const parts = sweepWith([unspentAnswer()], [contentsOf()])
  parts.sweep.add([order])
  await round(parts)
  expect(parts.log.records).toMatchObject([
    { value: { found: expect.stringMatching(/is not in/) } },
  ])
})

test('what an unavailable authority did not answer is asked again', async () => {
  const parts = sweepWith([ABSENT])
  let away = true
  const sweep = openAuditSweep({
    ...parts,
    node: {
      outputs: async () => {
        if (away) throw new NodeUnavailableError('node_unavailable', 'away')
        return [unspentAnswer()]
      },
    },
    index: null,
    roundMs: 60_000,
    graceMs: GRACE_MS,
    newRequestId: () => 'x',
    onFault: () => {},
  })
  sweep.add([order])
  await expect(sweep.round()).rejects.toThrow(NodeUnavailableError)
  away = false
  await sweep.round()
})

test('a round asks about 500 orders at most, the rest in the next', async () => {
  const parts = sweepWith([unspentAnswer()], [null])
  parts.sweep.add(Array.from({ length: 501 }, (_, n) => ({ ...order, id: hash(`${n}`) })))
  await round(parts)
  expect(parts.asked.node).toBe(1)
  await round(parts)
  expect(parts.asked.node).toBe(2)
})

test('orders that come first are asked about first, and each once', async () => {
  const { sweep, asked } = sweepWith([unspentAnswer()])
  const nth = (n: number) => ({ ...order, id: hash(`order ${n}`) })
  const daily = Array.from({ length: 600 }, (_, n) => nth(n))
  sweep.add(daily)
  sweep.add([nth(599), nth(700)], 'first')
  sweep.add([nth(700)])
  expect([sweep.room('first'), sweep.room()]).toEqual([20_000 - 2, 20_000 - 599])
  await sweep.round()
  expect([sweep.room('first'), sweep.room()]).toEqual([20_000, 20_000 - 101])
  await sweep.round()
  expect(sweep.room()).toBe(20_000)
  expect(asked.node).toBe(2)
})

test('it goes round until it is stopped, and a failed round does not stop it', async () => {
  const parts = sweepWith([ABSENT])
  const stop = new AbortController()
  const broken = new Error('no space left')
  parts.log.append = async () => {
    throw broken
  }
  const running = parts.sweep.run(stop.signal)
  parts.sweep.add([order])
  for (let turn = 0; turn < 4; turn += 1) {
    parts.clock.advance(60_000)
    for (let wait = 0; wait < 5; wait += 1) await setImmediate()
  }
  expect(parts.faults.length).toBeGreaterThanOrEqual(2)
  stop.abort()
  await running
})

test('a spend that was lost on the way is counted, once', async () => {
  const host = new WorkerHost()
  const claim = order.kept
  await host.tell([watermark(0), importOf(claim, 'import')])
  await host.answerAll(() => evidenceOf())
  const parts = sweepWith([ABSENT], [null])
  parts.sweep.add([host.order()])
  await round(parts)
  await host.tell(parts.log.records.map(({ value }) => value))
  expect(host.disagreements).toEqual([`${ORDER_ID} the output is absent`])
})
