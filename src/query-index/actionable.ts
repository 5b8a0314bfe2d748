import { HANDOFF_IDS } from '../domain/catalog/catalog.ts'
import { freshAt, vouchesAt } from '../domain/listing/actionable.ts'
import { BLOCKED, type FreshnessTerms } from '../domain/order/order-summary.ts'
import { precedes } from '../domain/order/watermark-order.ts'
import type { PartitionFreshness } from '../ports/views/order-views.ts'
import type { Actionability } from '../schemas/scalars.ts'
import type { Columns } from './columns.ts'
import { compareHashes, HASH_WORDS, putHash } from './hashes.ts'
import { codes, NEVER } from './row.ts'

export type FreshnessByPartition = ReadonlyMap<number, PartitionFreshness>

/** What can be done with the order in a slot at a moment, as its summary says (gateway spec 3.4). */
export function actionabilities(
  columns: Columns,
  moment: FreshnessTerms,
  freshness: FreshnessByPartition,
): (slot: number) => Actionability {
  const blocked = new Set([...BLOCKED].map(codes.state))
  const live = codes.state('LIVE')
  const raceable = codes.safety('PUBLIC_RACEABLE')
  const ids = HANDOFF_IDS.map((id) => columns.protocols.find(id)).filter((id) => id !== undefined)
  /** 0: the order names no market. */
  const capable = new Set([0, ...ids])
  const isFresh = freshTest(columns, moment, freshness)
  return (slot) => {
    const state = columns.state[slot] ?? 0
    if (columns.hidden[slot] === 1 || blocked.has(state)) return 'BLOCKED'
    const isReady =
      state === live &&
      columns.safety[slot] === raceable &&
      capable.has(columns.protocol[slot] ?? 0) &&
      isFresh(slot)
    return isReady ? 'HANDOFF_READY' : 'REVIEW_ONLY'
  }
}

/** Whether a LIVE order's verification is fresh, by itself or by its partition. */
function freshTest(
  columns: Columns,
  moment: FreshnessTerms,
  freshness: FreshnessByPartition,
): (slot: number) => boolean {
  const isFreshAt = freshAt(moment)
  const ask = codes.orderClass('ASK_ANYONECANPAY')
  const vouching = new Map(
    [...freshness].map(([n, partition]) => {
      const renewedUpTo = new Uint32Array(HASH_WORDS)
      putHash(renewedUpTo, 0, partition.renewedUpTo ?? '')
      const { continuousSince } = partition
      return [n, { isVouching: vouchesAt(partition, moment), continuousSince, renewedUpTo }]
    }),
  )
  return (slot) => {
    const verifiedAt = columns.verifiedAt[slot] ?? NEVER
    if (verifiedAt !== NEVER && isFreshAt(verifiedAt)) return true
    const epoch = columns.heldEpoch[slot] ?? NEVER
    const partition = vouching.get(columns.partition[slot] ?? 0)
    if (epoch === NEVER || !partition?.isVouching) return false
    const heldUnder = { epoch, n: columns.heldN[slot] ?? 0 }
    if (!precedes(heldUnder, partition.continuousSince)) return true
    const isAsk = columns.orderClass[slot] === ask
    return isAsk && compareHashes(columns.id, slot, partition.renewedUpTo, 0) <= 0
  }
}
