import { z } from 'zod'
import { Notice } from '../../order.ts'
import {
  AtomicSats,
  BlockRef,
  Hash,
  Network,
  OrderId,
  OrderState,
  OutpointText,
  Timestamp,
  Txid,
  TxOut,
} from '../../scalars.ts'
import { ListHiddenQuery } from '../api.ts'

const MAX_VOUT = 0xffffffff

/** The output in a path, `txid:vout`. */
export const OutpointPath = z.object({
  outpoint: OutpointText.refine(
    (text) => Number(text.slice(65)) <= MAX_VOUT,
    `must have an output index of at most ${MAX_VOUT}`,
  ).describe('an output, `txid:vout`'),
})

/** Newest first. */
export const ExposureQuery = ListHiddenQuery
export type ExposureQuery = z.infer<typeof ExposureQuery>

/** What the node says of the output now. */
export const ExposedOutput = z.strictObject({
  /** UNKNOWN: no means finds it, nor a spend of it. */
  status: z.enum(['UNSPENT', 'UNCONFIRMED', 'SPENT_IN_MEMPOOL', 'SPENT', 'UNKNOWN']),
  output: TxOut.nullable(),
  block: BlockRef.nullable(),
  spentBy: z.strictObject({ txid: Txid, block: BlockRef.nullable() }).nullable(),
})
export type ExposedOutput = z.infer<typeof ExposedOutput>

/** What the next block must have reached: its own height, or the median time past in seconds. */
export const NotBefore = z.union([
  z.strictObject({ height: z.int().nonnegative() }),
  z.strictObject({ medianTime: z.int().nonnegative() }),
])
export type NotBefore = z.infer<typeof NotBefore>

/**
 * NOW: any holder of the PSBT can take the output for the price. LATER: once `notBefore` is
 * reached, or the output is there. ENDED: a block spends the output. UNPROVED: its owner's
 * signature was never verified.
 */
export const Takeable = z.enum(['NOW', 'LATER', 'ENDED', 'UNPROVED'])
export type Takeable = z.infer<typeof Takeable>

/** An ask of the output, without any text of its sender. */
export const Authorisation = z.strictObject({
  orderId: OrderId,
  state: OrderState,
  /** Why it is in its state: `made_room`, `withdrawn_by_seller`, … */
  reason: z.string(),
  /** What its taker must pay to the seller's script; null if nothing is signed. */
  signedPriceSats: AtomicSats.nullable(),
  /** SHA-256 of the PSBT kept. */
  digest: Hash,
  /** An operator hides the order. */
  hidden: z.boolean(),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  /** When it ceased to be followed here, which ends no signature. */
  closedAt: Timestamp.nullable(),
  takeable: Takeable,
  notBefore: NotBefore.nullable(),
  /** nVersion, nLockTime, and nSequence of the offered input. */
  version: z.int(),
  locktime: z.int(),
  sequence: z.int(),
})
export type Authorisation = z.infer<typeof Authorisation>

/** Bids of an exposure. */
export const MAX_PAID_BIDS = 50

/**
 * A bid that the output pays for, signed by the owner of the output, without any text of its
 * sender.
 */
export const PaidBid = z.strictObject({
  orderId: OrderId,
  state: OrderState,
  reason: z.string(),
  /** What it bids for. */
  outpoint: OutpointText,
  /** What the seller gets beside the value of that output; null if that is not known. */
  signedPriceSats: AtomicSats.nullable(),
  /** SHA-256 of the PSBT kept. */
  digest: Hash,
  /** An operator hides the order. */
  hidden: z.boolean(),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  /** When it ceased to be followed here, which ends no signature. */
  closedAt: Timestamp.nullable(),
})
export type PaidBid = z.infer<typeof PaidBid>

export const LowestPrice = z.strictObject({
  orderId: OrderId,
  signedPriceSats: AtomicSats,
  notBefore: NotBefore.nullable(),
})
export type LowestPrice = z.infer<typeof LowestPrice>

/** Every authorisation ever seen for an output, and what can still be done with it. */
export const Exposure = z.strictObject({
  outpoint: OutpointText,
  network: Network,
  output: ExposedOutput,
  lowest: z.strictObject({
    /** The lowest price that the output can be taken for now. */
    now: LowestPrice.nullable(),
    /** The lowest price at which it can be taken now or later. */
    ever: LowestPrice.nullable(),
    /** False: not all authorisations below `now` were looked at, since there are too many. */
    complete: z.boolean(),
  }),
  authorisations: z.array(Authorisation),
  /**
   * Bids that the output pays for, whatever became of them: until a block spends it, or another
   * output of the bid, the owner of what a bid is for can complete it.
   */
  bids: z.strictObject({
    newest: z.array(PaidBid).max(MAX_PAID_BIDS),
    total: z.int().nonnegative(),
  }),
  /** Orders that claim the output and proved nothing: kept for a day, the last 16. */
  unproved: z.array(Authorisation),
  /** The number of `authorisations`, over all pages. */
  total: z.int(),
  limit: z.int(),
  nextCursor: z.string(),
  hasMore: z.boolean(),
  nodeTip: BlockRef,
  observedAt: Timestamp,
  notices: z.array(Notice),
})
export type Exposure = z.infer<typeof Exposure>
