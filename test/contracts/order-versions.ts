import { describe, expect, test } from 'vitest'
import { foldOrder } from '../../src/domain/order/fold-order.ts'
import type { History } from '../../src/ports/views/history.ts'
import type { OrderVersions } from '../../src/ports/views/order-versions.ts'
import type { OrderVersion } from '../../src/schemas/dispute/order-version.ts'
import type { ChangeRecord } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { toBlockHash, toOrderId } from '../support/ids.ts'
import { marketLives } from '../support/statistics/market-lives.ts'
import { namedHeights, versionsAt } from '../support/statistics/naive-versions.ts'

const ORDERS = 30
/** The clocks of every third order go back and forth. */
const LIVES = marketLives(ORDERS, 7).map((changes, n) =>
  n % 3 === 0 ? withOddClock(changes) : changes,
)
/** The first ones, and bids: their signed price is not what the seller is paid. */
const SOME = [
  ...LIVES.slice(0, 4),
  ...LIVES.slice(4)
    .filter((changes) => changes[0]?.set.side === 'BID' && isPricedWithPostage(changes))
    .slice(0, 2),
]

function isPricedWithPostage(changes: readonly ChangeRecord[]): boolean {
  const isPriced = changes[0]?.set.quotedPriceSats !== undefined
  const nodes = changes.flatMap(({ evidence }) => evidence?.node ?? [])
  return (
    isPriced && nodes.some((node) => node.status === 'ready' && node.output.status === 'unspent')
  )
}

const CHANGES = LIVES.flat().map((change, offset) => ({ partition: 0, offset: 2 * offset, change }))

function withOddClock(changes: readonly ChangeRecord[]): ChangeRecord[] {
  return changes.map((change, index) => {
    const shift = index % 2 === 0 ? 0 : -7_200_000
    const observedAt = new Date(Date.parse(change.observedAt) + shift).toISOString()
    return { ...change, observedAt }
  })
}

export interface OpenedVersions {
  history: Pick<History, 'record'>
  versions: OrderVersions
  close(): Promise<void>
}

/** What the versions of every history do. */
export function orderVersionsContract(name: string, open: () => Promise<OpenedVersions>): void {
  describe(`OrderVersions/${name}`, () => {
    test('each has the order as it was, its evidence, and its time; pages repeat and miss none', async () => {
      const { history, versions, close } = await open()
      try {
        await history.record(CHANGES)
        await history.record(CHANGES.slice(3, 20))
        expect(SOME).toHaveLength(6)
        for (const changes of SOME) {
          const { orderId } = changes[0]!
          const whole = await versions.versions({ orderId, limit: 100 })
          expect(whole).toEqual({ versions: expectedOf(changes), next: null })
          const walked: OrderVersion[] = []
          for (let after: number | null = 0; after !== null; ) {
            const page = await versions.versions({ orderId, limit: 3, after })
            expect(page.versions.length).toBeLessThanOrEqual(3)
            walked.push(...page.versions)
            after = page.next
          }
          expect(walked).toEqual(whole.versions)
        }
        const none = await versions.versions({ orderId: toOrderId('f'.repeat(64)), limit: 3 })
        expect(none).toEqual({ versions: [], next: null })
      } finally {
        await close()
      }
    })

    test('at most one is in force at a time or a height', async () => {
      const { history, versions, close } = await open()
      try {
        await history.record(CHANGES)
        const heights = [...namedHeights(LIVES).keys()].toSorted((a, b) => a - b)
        const [changes = []] = LIVES.filter((life) => life.length > 6)
        const { orderId } = changes[0]!
        const times = changes.flatMap(({ observedAt }) => [
          observedAt,
          new Date(Date.parse(observedAt) - 1).toISOString(),
        ])
        const moments = [
          ...times.map((time) => ({ time })),
          ...[0, 0.2, 0.5, 0.8].map((share) => ({
            height: heights[Math.trunc(share * heights.length)]!,
          })),
          { height: 1 },
          { height: 999_999_999 },
        ]
        for (const at of moments) {
          const found = await versions.versions({ orderId, limit: 2, at })
          const seq = versionsAt(LIVES, at).get(orderId)
          expect(found.versions.map((version) => version.seq)).toEqual(
            seq === undefined ? [] : [seq],
          )
          expect(found.next).toBeNull()
        }
      } finally {
        await close()
      }
    })

    test('the places of the last changes, by seq', async () => {
      const { history, versions, close } = await open()
      try {
        await history.record(CHANGES)
        const [changes = []] = LIVES.filter((life) => life.length > 6)
        const { orderId } = changes[0]!
        const expected = CHANGES.filter(({ change }) => change.orderId === orderId).map(
          ({ partition, offset, change: { seq } }) => ({ seq, partition, offset }),
        )
        expect(await versions.places(orderId, 1_000, 100)).toEqual(expected)
        expect(await versions.places(orderId, changes.length - 1, 2)).toEqual(
          expected.slice(-3, -1),
        )
      } finally {
        await close()
      }
    })

    test('a page of much evidence ends early', async () => {
      const { history, versions, close } = await open()
      try {
        const [changes = []] = LIVES.filter((life) => life.length > 6)
        const { orderId } = changes[0]!
        const heavy = changes.map((change, offset) => ({
          partition: 0,
          offset,
          change: { ...change, evidence: heavyEvidence(change.observedAt) },
        }))
        await history.record(heavy)
        const page = await versions.versions({ orderId, limit: 100 })
        expect(page.versions.length).toBeLessThan(changes.length)
        expect(page.next).toBe(page.versions.at(-1)?.seq)
        expect(page.versions[0]?.evidence).toEqual(heavy[0]?.change.evidence)
      } finally {
        await close()
      }
    })
  })
}

const heavyEvidence = (at: string): NonNullable<ChangeRecord['evidence']> => ({
  begunAt: { epoch: 1, n: 2 },
  mempoolSequence: 3,
  askedAt: at,
  answeredAt: at,
  node: {
    status: 'ready',
    tip: { height: 1, hash: toBlockHash('a'.repeat(64)), medianTime: 1 },
    output: {
      status: 'unspent',
      output: { valueSats: '1', scriptHex: '51'.repeat(150_000) },
      coinbase: false,
      block: null,
      priorMedianTime: null,
    },
    funding: [],
    signatures: [],
  },
  index: { status: 'unavailable', reason: 'asset_index_unreachable' },
})

function expectedOf(changes: readonly ChangeRecord[]): OrderVersion[] {
  let order: OrderRecord | null = null
  let from = ''
  const all = changes.map((change): OrderVersion => {
    order = foldOrder(order, change)
    from = change.observedAt > from ? change.observedAt : from
    return {
      seq: change.seq,
      kind: change.kind,
      fromState: change.fromState,
      state: change.toState,
      reason: change.reason,
      actor: change.actor,
      cause: change.cause.kind,
      observedAt: change.observedAt,
      inForceFrom: from,
      inForceUntil: null,
      outpoint: change.outpoint,
      protocolId: order.protocolId ?? null,
      token: order.token ?? null,
      side: order.side ?? null,
      quotedPriceSats: order.quotedPriceSats ?? null,
      inscriptionIds: order.assets.map(({ inscriptionId }) => inscriptionId),
      spendTxid: order.spend?.txid ?? null,
      spendHeight: order.spend?.block?.height ?? null,
      settlementTxid: order.settlement?.txid ?? null,
      evidence: change.evidence,
      hash: change.hash,
      prevHash: change.prevHash,
    }
  })
  return all.map((version, index) => ({
    ...version,
    inForceUntil: all[index + 1]?.inForceFrom ?? null,
  }))
}
