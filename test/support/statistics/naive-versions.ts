import { foldOrder } from '../../../src/domain/order/fold-order.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { Row } from './naive-statistics.ts'

// What was in force when, from the changes themselves: each query scans every change again.

type Lives = readonly (readonly ChangeRecord[])[]

/** How many of an order's first changes were all observed by then. */
function changesBy(changes: readonly ChangeRecord[], isBy: (time: string) => boolean): number {
  const later = changes.findIndex(({ observedAt }) => !isBy(observedAt))
  return later < 0 ? changes.length : later
}

/** By the last change that made it: every prefix of a life is asked for many times. */
const wholes = new WeakMap<ChangeRecord, OrderRecord>()

function whole(changes: readonly ChangeRecord[]): OrderRecord {
  const last = changes.at(-1)!
  const known = wholes.get(last)
  if (known) return known
  const order = changes.reduce<OrderRecord | null>(foldOrder, null)!
  wholes.set(last, order)
  return order
}

const heightsOf = ({ evidence, set, observedAt }: ChangeRecord): [number, string][] => [
  ...(evidence?.node.status === 'ready'
    ? [[evidence.node.tip.height, evidence.askedAt] as [number, string]]
    : []),
  ...(set.spend?.block ? [[set.spend.block.height, observedAt] as [number, string]] : []),
]

/** When each height was first named. */
export function namedHeights(lives: Lives): Map<number, string> {
  const named = new Map<number, string>()
  for (const [height, at] of lives.flat().flatMap(heightsOf))
    if ((named.get(height) ?? '~') > at) named.set(height, at)
  return named
}

/** Of a time: up to it. Of a height: before the first mention of a higher one. */
function isByThen(lives: Lives, at: { height: number } | { time: string }) {
  if ('time' in at) return (time: string) => time <= at.time
  const passed = [...namedHeights(lives)]
    .filter(([height]) => height > at.height)
    .map(([, time]) => time)
    .sort()[0]
  return (time: string) => passed === undefined || time < passed
}

/** Seq of the version of each order in force then, by order id. */
export function versionsAt(
  lives: Lives,
  at: { height: number } | { time: string },
): Map<string, number> {
  const isBy = isByThen(lives, at)
  return new Map(
    lives
      .map((changes) => [changes[0]!.orderId, changesBy(changes, isBy)] as const)
      .filter(([, seq]) => seq > 0),
  )
}

/** The orders of the book then, each as it was; rows in no order. */
export function naiveBook(lives: Lives, at: { height: number } | { time: string }): Row[] {
  const seqs = versionsAt(lives, at)
  return lives.flatMap((changes) => {
    const seq = seqs.get(changes[0]!.orderId) ?? 0
    return seq === 0 ? [] : bookRow(changes, seq)
  })
}

/** Every row that the book ever had. */
export const everyBook = (lives: Lives): Row[] =>
  lives.flatMap((changes) =>
    changes.flatMap((_, index) => {
      const [row] = bookRow(changes, index + 1)
      return row && row['in_force_from'] !== row['in_force_until'] ? [row] : []
    }),
  )

function bookRow(changes: readonly ChangeRecord[], seq: number): Row[] {
  const order = whole(changes.slice(0, seq))
  if (order.state !== 'LIVE' || order.hidden) return []
  const isHiddenNow = whole(changes).hidden !== undefined
  const latest = (most: number) =>
    changes
      .slice(0, most)
      .map(({ observedAt }) => observedAt)
      .sort()
      .at(-1)
  const told = changes
    .slice(0, seq)
    .flatMap(({ evidence }) =>
      evidence?.node.status === 'ready' && evidence.node.output.status !== 'missing'
        ? (evidence.node.output.output ?? [])
        : [],
    )
    .at(-1)?.valueSats
  const postage = order.side === 'BID' ? told : '0'
  const price =
    order.quotedPriceSats === undefined || postage === undefined
      ? undefined
      : String(BigInt(order.quotedPriceSats) + BigInt(postage))
  return [
    {
      order_id: order.id,
      seq,
      in_force_from: latest(seq),
      in_force_until: seq === changes.length ? null : latest(seq + 1),
      outpoint: order.outpoint,
      protocol_id: isHiddenNow ? null : (order.protocolId ?? null),
      token: isHiddenNow ? null : (order.token ?? null),
      side: order.side ?? null,
      gross_price_sats: price ?? null,
      net_price_sats:
        price === undefined || told === undefined ? null : String(BigInt(price) - BigInt(told)),
      postage_sats: told ?? null,
      seller_script_hex: order.sellerScriptHex ?? null,
      inscription_ids: order.assets.map(({ inscriptionId }) => inscriptionId),
    },
  ]
}
