import type { ChangeRecord } from '../schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'

/** A script longer than this, in bytes, can never be spent (consensus: MAX_SCRIPT_SIZE). */
export const MAX_SCRIPT_BYTES = 10_000
/** Maximum bytes of an order in the log: half for the kept wrapper, half for those to be judged. */
export const MAX_ORDER_BYTES = 2 ** 18
/**
 * Bytes of one wrapper with what was read of it: enough for any PSBT of 64 KiB, except one full of
 * scripts, which are stored several times over.
 */
export const MAX_CLAIM_BYTES = 7 * 2 ** 14
/** Bytes of all wrappers of an order that wait to be judged. */
export const MAX_CLAIMS_BYTES = MAX_CLAIM_BYTES
/** No log accepts a larger record (`max.message.bytes`, less a value's overhead), in bytes. */
const MAX_RECORD_BYTES = 15 * 2 ** 16

/** A constant overestimate of an order's other fields, in bytes, which avoids encoding them. */
const ORDER_WEIGHT = 4_096
const ARTIFACT_WEIGHT = 4
const REQUEST_WEIGHT = 128

/** Bytes of a value in the log. */
export const encodedBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Bytes of a wrapper, without its source and its texts, which are short. */
export const claimBytes = ({
  artifact,
  inspection,
  offer,
  claimedPrevout,
}: Pick<OfferClaim, 'artifact' | 'inspection' | 'offer' | 'claimedPrevout'>): number =>
  encodedBytes({ artifact, inspection, offer, claimedPrevout })

/** An upper estimate of an order's bytes in the log: for bounds on sums. */
export function orderWeight({ kept, claims, pending }: OrderRecord): number {
  const artifacts = [kept, ...claims].reduce((sum, { artifact }) => sum + artifact.length, 0)
  const requests = (pending?.requests.length ?? 0) + (pending?.late.length ?? 0)
  return ORDER_WEIGHT + ARTIFACT_WEIGHT * artifacts + REQUEST_WEIGHT * requests
}

/** Bytes that a change has beside its order: the proof of a withdrawal. */
export const proofBytes = (change: ChangeRecord | null): number =>
  change?.proof ? encodedBytes(change.proof) : 0

/** The first items, up to a sum of bytes, and at least one: how many depends only on the orders. */
export function upToBytes<T>(
  items: readonly T[],
  orderOf: (item: T) => OrderRecord,
  bytes: number,
): readonly T[] {
  let sum = 0
  const beyond = items.findIndex((item) => {
    const isFull = sum >= bytes
    sum += orderWeight(orderOf(item))
    return isFull
  })
  return beyond < 0 ? items : items.slice(0, beyond)
}

/** Throws if no log would accept the order or its change. */
export function checkWritable(order: OrderRecord, change: ChangeRecord | null): void {
  if (orderWeight(order) + proofBytes(change) <= MAX_ORDER_BYTES) return
  for (const [what, value] of [['order', order] as const, ['change', change] as const]) {
    const bytes = encodedBytes(value)
    if (bytes > MAX_RECORD_BYTES) throw new RangeError(`its ${what} has ${bytes} bytes: too large`)
  }
}

const OP_RETURN = 0x6a

/** Is an output of this script unspendable? Then no node keeps it, and it cannot be offered. */
export const isUnspendable = (script: Uint8Array): boolean =>
  script[0] === OP_RETURN || script.length > MAX_SCRIPT_BYTES

export const isTooLongScript = (scriptHex: string): boolean =>
  scriptHex.length > 2 * MAX_SCRIPT_BYTES
