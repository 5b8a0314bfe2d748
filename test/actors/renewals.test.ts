import { describe, expect, test } from 'vitest'
import type { LiveOrder } from '../../src/actors/sweep/renewal-pass.ts'
import { isContinuous } from '../../src/domain/order/continuity.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { Watermark } from '../../src/schemas/log.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import { toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import { importOf, renewalOf, replayOf, spendNews, WorkerHost } from '../support/log/worker-host.ts'
import {
  askClaim,
  bidClaim,
  blockAt,
  evidenceOf,
  hash,
  indexSays,
  inscriptionAt,
  MEDIAN_TIME,
  OUTPUT_BLOCK,
  spendBy,
  TIP_HEIGHT,
} from '../support/orders/evidence.ts'

const nth = (n: number) =>
  askClaim({ offer: { outpoint: toOutpointText(`${hash(`output ${n}`)}:0`) } })
const nthId = (n: number): OrderId => hash(`order ${n}`)
const idsOf = (count: number) => Array.from({ length: count }, (_, n) => nthId(n)).sort()
const none = () => false
const LAST = 'f'.repeat(64)

async function hostWith(orders: number, answer: Evidence = evidenceOf()): Promise<WorkerHost> {
  const host = new WorkerHost()
  const imports = Array.from({ length: orders }, (_, n) => importOf(nth(n), `${n}`, nthId(n)))
  await host.tell([watermark(0), ...imports])
  await host.answerAll(() => answer)
  return host
}

async function afterLoss(orders: number, changes: Partial<Watermark> = {}): Promise<WorkerHost> {
  const host = await hostWith(orders)
  await host.tell([watermark(1, { lost: 'all', ...changes })])
  return host
}

const continuous = (host: WorkerHost): string[] => {
  const { partition } = host
  if (!partition) throw new Error('no partition')
  const ids = host.orders.filter((order) => isContinuous(order, partition)).map(({ id }) => id)
  return ids.sort()
}

describe('LIVE orders that lost continuity', () => {
  test('regain it by one question about many, and nothing is written about any of them', async () => {
    const host = await afterLoss(300)
    expect(continuous(host)).toEqual([])
    expect(host.questions).toEqual([])
    const written = host.lifecycle.length
    expect(host.renewals).toMatchObject([{ after: null, upTo: LAST, begunAt: { epoch: 1, n: 1 } }])
    expect(host.renewals[0]?.orders).toHaveLength(300)
    await host.renew(none)
    expect(continuous(host)).toEqual(idsOf(300))
    expect(host.lifecycle).toHaveLength(written)
    expect(host.questions).toEqual([])
    expect(host.partition).toMatchObject({ renewedUpTo: LAST, pass: { over: 'others' } })
    await host.tell([watermark(2)])
    expect(host.partition).not.toHaveProperty('pass')
    expect(continuous(host)).toEqual(idsOf(300))
  })

  test('are asked about 500 at a time, the next as soon as the last are as they were', async () => {
    const host = await afterLoss(1_001)
    const asked: number[] = []
    while (host.renewals.length > 0) {
      asked.push(host.renewals[0]?.orders.length ?? 0)
      await host.renew(none)
    }
    expect(asked).toEqual([500, 500, 1])
    expect(continuous(host)).toEqual(idsOf(1_001))
  }, 60_000)

  test('that are not as they were are verified by themselves, and are not vouched for', async () => {
    const host = await afterLoss(20)
    const doubted = idsOf(20).slice(3, 6)
    await host.renew(({ id }) => doubted.includes(id))
    expect(host.takeQuestions().map(({ orderId }) => orderId)).toEqual(doubted)
    expect(continuous(host)).toEqual(idsOf(20).filter((id) => !doubted.includes(id)))
    for (const id of doubted) {
      expect(host.changes.findLast(({ orderId }) => orderId === id)).toMatchObject({
        reason: 'continuity_lost',
      })
    }
  })

  test('wait for the next watermark with the rest where some were not as they were', async () => {
    const host = await afterLoss(520)
    await host.renew(({ id }) => id === idsOf(520)[7])
    expect(host.renewals).toEqual([])
    await host.tell([watermark(2)])
    expect(host.renewals).toMatchObject([{ after: idsOf(520)[499] }])
  })

  test('become fresh only after those that are not have been marked', async () => {
    const host = await afterLoss(2)
    const before = host.lifecycle.length
    await host.renew(({ id }) => id === idsOf(2)[0])
    expect(host.lifecycle).toHaveLength(before + 1)
    expect(host.partition?.lifecycleEnd).toBe(before + 1)
  })

  test('that are bids stand on their own verification', () => {
    const anchor = { tip: OUTPUT_BLOCK, mempoolSequence: 1, index: null }
    const bid = {
      id: nthId(0),
      state: 'LIVE' as const,
      kept: bidClaim(),
      anchor: { ...anchor, watermark: { epoch: 1, n: 1 } },
    }
    const renewed = { continuousSince: { epoch: 9, n: 9 }, renewedUpTo: LAST }
    expect(isContinuous(bid, renewed)).toBe(false)
    expect(isContinuous({ ...bid, kept: askClaim() }, renewed)).toBe(true)
  })
})

describe('what a question about many includes of an order', () => {
  const heldBy = async (index: Evidence['index']): Promise<LiveOrder | undefined> => {
    const host = await hostWith(1, evidenceOf({ index }))
    await host.tell([watermark(1, { lost: 'all' })])
    return host.renewals[0]?.orders[0]
  }

  test('is its output, its block, and a digest of the output’s assets', async () => {
    const [empty, full] = [
      await heldBy(indexSays({ inscriptions: [] })),
      await heldBy(indexSays({ inscriptions: [inscriptionAt()] })),
    ]
    expect(empty).toEqual({
      id: nthId(0),
      outpoint: nth(0).offer.outpoint,
      block: OUTPUT_BLOCK,
      holds: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(full?.holds).not.toBe(empty?.holds)
  })
})

describe('an answer about many', () => {
  test.each<[string, (host: WorkerHost) => Promise<void>]>([
    ['after continuity was lost again', (host) => host.tell([watermark(2, { lost: 'all' })])],
    ['after a gap', (host) => host.tell([watermark(3)])],
    ['of a former run of node or ingest', (host) => host.tell([watermark(0, { epoch: 2 })])],
    [
      'of a tip that is not followed, or no longer',
      (host) => {
        const tip = { ...blockAt(TIP_HEIGHT + 1), medianTime: MEDIAN_TIME }
        return host.tell([watermark(2, { tip })])
      },
    ],
  ])('%s is not used, and it is asked again', async (_, happen) => {
    const host = await afterLoss(3)
    const [question] = host.renewals.splice(0)
    if (!question) throw new Error('nothing was asked')
    const answer = renewalOf(question, none, host.partition)
    await happen(host)
    await host.tell([answer])
    expect(continuous(host)).toEqual([])
    const { seen, watermark: last } = host.partition ?? {}
    const next = { n: (seen?.n ?? 0) + 1, epoch: seen?.epoch ?? 1, tip: last?.tip }
    await host.tell([watermark(next.n, { epoch: next.epoch, ...(next.tip && { tip: next.tip }) })])
    await host.renew(none)
    expect(continuous(host)).toEqual(idsOf(3))
  })

  test('that arrives twice, or from a former owner of the partition, counts once', async () => {
    const host = await afterLoss(600)
    const [question] = host.renewals.splice(0)
    if (!question) throw new Error('nothing was asked')
    const answer = renewalOf(question, none, host.partition)
    await host.tell([answer, answer])
    expect(host.partition?.pass).toEqual({ over: 'live', after: idsOf(600)[499] })
    expect(continuous(host)).toEqual(idsOf(600).slice(0, 500))
  }, 60_000)

  test('vouches for none that has been spent meanwhile', async () => {
    const host = await afterLoss(2)
    const thief = spendBy('thief', { block: null, pairedOutput: null })
    await host.tell([spendNews('seen', thief, nth(0).offer.outpoint)])
    await host.renew(none)
    expect(continuous(host)).toEqual([nthId(1)])
  })

  test('is asked again after its host died, and a replay gives the same', async () => {
    const host = await afterLoss(5)
    host.die()
    await host.tell([watermark(2)])
    await host.renew(({ id }) => id === idsOf(5)[1])
    await host.answerAll(() => evidenceOf())
    expect(continuous(host)).toEqual(idsOf(5))
    const replay = await replayOf(host, 1)
    expect(replay.partition).toEqual(host.partition)
    expect(replay.lifecycle).toEqual(host.lifecycle)
  })

  test('is not awaited while nothing is covered', async () => {
    const host = await afterLoss(3, { covers: false, index: null, indexStatus: 'unreachable' })
    expect(host.renewals).toEqual([])
    await host.tell([watermark(2)])
    expect(host.renewals).toHaveLength(1)
  })
})
