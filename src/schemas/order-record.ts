import { z } from 'zod'
import { IndexAnswer, Spend, WatermarkRef } from './evidence.ts'
import {
  AssetClaim,
  PsbtInspection,
  Settlement,
  SourceEvidence,
  Validation,
  Withdrawal,
} from './order.ts'
import {
  AtomicSats,
  BlockRef,
  Hash,
  Hex,
  Network,
  OrderSide,
  OrderState,
  OutpointText,
  Timestamp,
  TxOut,
} from './scalars.ts'

/** What the signatures of an order commit to: read from the PSBT, the same in every wrapper. */
export const Offer = z.strictObject({
  side: OrderSide,
  /** The index of the offered input. */
  sellerIndex: z.int().nonnegative(),
  outpoint: OutpointText,
  version: z.int(),
  locktime: z.int(),
  /** nSequence of every input, in order; only the offered one binds an ask. */
  sequences: z.array(z.int()),
  /** An ask's payout at the seller's index; a bid's every output, in order. */
  payouts: z.array(TxOut),
  /** A bid's other inputs, in order. */
  funding: z.array(OutpointText),
  unsignedTxid: Hash,
})
export type Offer = z.infer<typeof Offer>

/** Free text shown as untrusted: at most 64 characters of printable Unicode. */
export const DiscoveryText = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable Unicode')

/** One wrapper of an authorisation with what its sender says of it: evidence, never proof. */
export const OfferClaim = z.strictObject({
  /** Base64 of the PSBT as it came. */
  artifact: z.string(),
  inspection: PsbtInspection,
  offer: Offer,
  /** The offered input's utxo as the wrapper tells it. */
  claimedPrevout: TxOut.nullable(),
  source: SourceEvidence,
  protocolId: DiscoveryText.exactOptional(),
  token: DiscoveryText.exactOptional(),
  /** The seller half of a build of this service: what was said at the build outranks imports. */
  published: z.literal(true).exactOptional(),
  /** What inspection of the envelope noticed: `utxo_without_vout`, … */
  notes: z.array(z.string()),
})
export type OfferClaim = z.infer<typeof OfferClaim>

/** Where the authorities stood when the last verdict was given. */
export const Anchor = z.strictObject({
  tip: BlockRef,
  mempoolSequence: z.int().nullable(),
  index: z.strictObject({ ...BlockRef.shape, version: z.string() }).nullable(),
  watermark: WatermarkRef.nullable(),
  /**
   * The partition had not been told of this tip when the verdict was given: should the tip give way
   * before it is, no news will say so.
   */
  ahead: z.literal(true).exactOptional(),
})
export type Anchor = z.infer<typeof Anchor>

/**
 * The index's answer with the watermark under which it was asked for: an index that was rebuilt since
 * may say otherwise, and continuity has ended then.
 */
export const IndexProof = z.strictObject({
  ...IndexAnswer.shape,
  begunAt: WatermarkRef.nullable(),
})
export type IndexProof = z.infer<typeof IndexProof>

/** A request that waits for a verdict. */
export const WaitingRequest = z.strictObject({
  requestId: z.string(),
  kind: z.enum(['import', 'revalidate']),
})
export type WaitingRequest = z.infer<typeof WaitingRequest>

/** A question that is out: the answer of another attempt, or of a touched one, is discarded. */
export const PendingCheck = z.strictObject({
  attempt: z.int().positive(),
  begunAt: WatermarkRef.nullable(),
  mempoolSequence: z.int().nullable(),
  /** A spend, an output change or a reorg came since it was asked. */
  touched: z.boolean(),
  /** How many of `claims` it covers: the first ones. */
  asked: z.int().nonnegative(),
  /** Requests that its verdict answers. */
  requests: z.array(WaitingRequest),
  /** Requests that came after it was put: they wait for the next one. */
  late: z.array(WaitingRequest),
  purpose: z.enum(['import', 'request', 'recheck', 'audit']),
})
export type PendingCheck = z.infer<typeof PendingCheck>

/** An operator hides the order; the reason is for operators. */
export const Hidden = z.strictObject({ hiddenAt: Timestamp, reason: z.string().exactOptional() })
export type Hidden = z.infer<typeof Hidden>

/** An order as its actor holds it: the fold of its change records. */
export const OrderRecord = z.strictObject({
  id: Hash,
  network: Network,
  outpoint: OutpointText,
  state: OrderState,
  reason: z.string(),
  seq: z.int().nonnegative(),
  hash: Hash.nullable(),
  /** The wrapper kept: the first whose signature verified, else the first. */
  kept: OfferClaim,
  /** Wrappers still to be judged, oldest first. */
  claims: z.array(OfferClaim),
  sources: z.array(SourceEvidence),
  /** Sources beyond the 32 that are kept: counted. */
  sourcesDropped: z.int().nonnegative(),
  notes: z.array(z.string()),
  assets: z.array(AssetClaim),
  validation: Validation,
  anchor: Anchor.nullable(),
  /** The time of the last verification by the authorities themselves. */
  verifiedAt: Timestamp.nullable(),
  /** A signature of the owner of what is offered, or a bidder's on all inputs, was verified once. */
  proved: z.literal(true).exactOptional(),
  /** True once a wrapper's metadata was part of a LIVE verdict: nobody else moves the market. */
  metadataFixed: z.boolean(),
  protocolId: z.string().exactOptional(),
  token: z.string().exactOptional(),
  side: OrderSide.exactOptional(),
  quotedPriceSats: AtomicSats.exactOptional(),
  sellerScriptHex: Hex.exactOptional(),
  settlement: Settlement.exactOptional(),
  withdrawal: Withdrawal.exactOptional(),
  /** In no list, and its text is for operators alone, whatever its state. Absent: it is shown. */
  hidden: Hidden.exactOptional(),
  /** The block of the offered output. */
  outputBlock: BlockRef.nullable(),
  /** What the index said of the output in `outputBlock`: it holds until the output is spent. */
  indexProof: IndexProof.nullable(),
  spend: Spend.nullable(),
  attempt: z.int().nonnegative(),
  pending: PendingCheck.nullable(),
  /** Closed: final after 100 confirmations, never proved within a day, or room was made. */
  closedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OrderRecord = z.infer<typeof OrderRecord>
