import { describe, expect, test } from 'vitest'
import { trailOf } from '../../src/operator/audit/audit-lifecycle.ts'
import { FoldedLog } from '../../src/operator/audit/folded-log.ts'
import { Replay } from '../../src/operator/audit/replay.ts'
import { AuditReport } from '../../src/operator/audit/report.ts'
import { LOG_SCHEMA, PartitionSnapshot, TOO_LARGE } from '../../src/schemas/log.ts'
import { toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import { commandOf, importOf, replayOf, spendNews, WorkerHost } from '../support/log/worker-host.ts'
import {
  askClaim,
  evidenceOf,
  hash,
  nodeSays,
  OUTPUT_BLOCK,
  signatureOf,
  spendBy,
} from '../support/orders/evidence.ts'
import { standingProofs } from '../support/orders/withdrawals.ts'

const ORDERS = 40
/** So large that a dozen fill one commit. */
const ARTIFACT = 'A'.repeat(80_000)
const nthId = (n: number) => hash(`order ${n}`)
const ids = Array.from({ length: ORDERS }, (_, n) => nthId(n)).sort()
const nth = (n: number) => ({
  ...askClaim({
    wrapper: `wrapper ${n}`,
    offer: { outpoint: toOutpointText(`${hash(`${n}`)}:0`) },
  }),
  artifact: ARTIFACT,
})

/** A reorg of node and index below the block of every order. */
const reorg = watermark(1, {
  forkHeight: OUTPUT_BLOCK.height - 1,
  lost: { aboveHeight: OUTPUT_BLOCK.height - 1 },
})

async function bookOf(orders = ORDERS): Promise<WorkerHost> {
  const host = new WorkerHost()
  const imports = Array.from({ length: orders }, (_, n) => importOf(nth(n), `${n}`, nthId(n)))
  await host.tell([watermark(0), ...imports])
  await host.answerAll(({ claims }) =>
    evidenceOf({ node: nodeSays({ signatures: claims.map((claim) => signatureOf(claim)) }) }),
  )
  return host
}
const rechecked = (host: WorkerHost) =>
  host.orders.filter(({ anchor }) => anchor?.watermark === null).map(({ id }) => id)
const workOf = (host: WorkerHost) =>
  host.orders.map(({ id, hash: last, attempt, pending }) => ({ id, last, attempt, pending }))

describe('a reorg below the blocks of many orders', () => {
  test('takes several commits, and its freshness is claimed with the last', async () => {
    const host = await bookOf()
    const last = host.partition?.watermark?.n
    host.append(reorg)
    const parts: number[] = []
    do {
      await host.step(200, true)
      parts.push(rechecked(host).length)
      const isDone = rechecked(host).length === ORDERS
      expect(host.partition?.watermark?.n).toBe(isDone ? 1 : last)
      expect(host.partition?.part?.after).toBe(isDone ? undefined : rechecked(host).sort().at(-1))
      expect(PartitionSnapshot.parse(host.partition)).toEqual(host.partition)
    } while (host.partition?.part)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.at(-1)).toBe(ORDERS)
    expect(
      host
        .takeQuestions()
        .map(({ orderId }) => orderId)
        .sort(),
    ).toEqual(ids)
  })

  test('continues where it was after a crash: every order moves once', async () => {
    const host = await bookOf()
    host.append(reorg)
    const before = host.changes.length
    for (let step = 0; ; step += 1) {
      await host.step(200, step % 2 === 1)
      if (rechecked(host).length === ORDERS) break
      host.die()
    }
    expect(host.changes.length - before).toBe(ORDERS)
    expect(host.partition).not.toHaveProperty('part')
    expect(workOf(await replayOf(host, 200))).toEqual(workOf(host))
  })

  test('gives the same orders wherever its batches end', async () => {
    const host = await bookOf()
    await host.tell([reorg, commandOf('revalidate', 'after', nthId(0), nth(0).offer.outpoint)])
    for (const batch of [1, 3, 200]) {
      const replay = await replayOf(host, batch)
      expect(workOf(replay)).toEqual(workOf(host))
      expect(replay.partition).toMatchObject({ seen: { n: 1 }, watermark: { n: 1 } })
      expect(replay.partition).not.toHaveProperty('part')
    }
  })

  test('is audited as far as it came', async () => {
    const host = await bookOf()
    host.append(reorg)
    await host.step(200, true)
    const partEnd = host.partition?.part
    if (!partEnd) throw new Error('it took one commit')
    const replay = new Replay({
      ...{ network: 'regtest', partition: 0, partitions: 1, partEnd },
      proofs: standingProofs,
    })
    for (const record of host.inbox.slice(0, -1)) await replay.take(record)
    await replay.takePart(host.inbox.at(-1)!)
    const folded = new FoldedLog([])
    for (const record of host.lifecycle) {
      const step = record.kind === 'outcome' ? trailOf(record) : record.hash
      folded.trails.set(record.orderId, [...(folded.trails.get(record.orderId) ?? []), step])
    }
    const report = new AuditReport()
    const orders = new Map(host.orders.map((order) => [order.id, order]))
    const actors = { orders, watermarks: new Map(), parts: new Map() }
    await replay.compare(folded, actors, report)
    expect(report.violations).toEqual([])
  })

  test('before the first watermark of a partition is one commit: there is no place to keep', async () => {
    const host = new WorkerHost()
    await host.tell([importOf(nth(0), 'first', nthId(0)), { ...reorg, n: 0 }])
    expect(host.partition).toMatchObject({ seen: { n: 0 } })
    expect(host.partition).not.toHaveProperty('part')
  })
})

describe('a step', () => {
  test('ends when it has moved enough, whatever the count of its records', async () => {
    const host = await bookOf()
    for (let n = 0; n < ORDERS; n += 1) {
      const thief = spendBy(`thief ${n}`, { block: null, pairedOutput: null })
      host.append(spendNews('seen', thief, nth(n).offer.outpoint))
    }
    await host.step(200, true)
    const moved = host.orders.filter(({ state }) => state === 'MEMPOOL_CONFLICTED').length
    expect(moved).toBeGreaterThan(5)
    expect(moved).toBeLessThan(20)
    await host.run()
    expect(host.orders.map(({ state }) => state)).toEqual(Array(ORDERS).fill('MEMPOOL_CONFLICTED'))
  })

  test('of a pass moves a few large orders with each answer, and all in the end', async () => {
    const host = await bookOf()
    host.takeQuestions()
    await host.tell([watermark(1, { lost: 'all' })])
    await host.renew()
    const first = host.takeQuestions().length
    expect(first).toBeGreaterThan(5)
    expect(first).toBeLessThan(20)
    for (let n = 2; n < 10; n += 1) {
      await host.tell([watermark(n)])
      await host.renew()
    }
    expect(first + host.takeQuestions().length).toBe(ORDERS)
    expect(host.partition).not.toHaveProperty('pass')
  })
})

describe('a record whose effects no log takes', () => {
  test('of a request is answered and set aside', async () => {
    const host = await bookOf(1)
    host.append(commandOf('revalidate', 'unlucky', nthId(0), nth(0).offer.outpoint))
    const worker = await host.open()
    const output = await worker.setAside?.(host.inbox.at(-1)!, `${TOO_LARGE}: why`)
    expect(output).toMatchObject({
      taken: 1,
      dead: [{ reason: 'too large: why' }],
      lifecycle: [{ requestId: 'unlucky', outcome: { status: 'refused', code: 'INTERNAL' } }],
    })
  })

  test.each([
    ['a spend', spendNews('seen', spendBy('thief', { block: null, pairedOutput: null }))],
    ['a watermark', reorg],
    ['no record', { schema: LOG_SCHEMA }],
  ])('of %s ends continuity for all: its content is lost', async (_, value) => {
    const host = await bookOf(1)
    const worker = await host.open()
    const offset = host.inbox.length
    const output = await worker.setAside?.({ partition: 0, offset, value }, TOO_LARGE)
    expect(output).toMatchObject({
      dead: [{ record: { offset } }],
      lifecycle: [],
      snapshots: [
        { kind: 'partition', continuousSince: { epoch: 1, n: 1 }, pass: { over: 'live' } },
      ],
    })
  })
})
