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
  InscriptionId,
  Network,
  OrderId,
  OrderSide,
  OrderState,
  OutpointText,
  Timestamp,
  Txid,
  TxOut,
} from './scalars.ts'

/** What an order's signatures commit to: read from the PSBT, the same in every wrapper. */
export const Offer = z.strictObject({
  side: OrderSide,
  /** The index of the offered input. */
  sellerIndex: z.int().nonnegative(),
  outpoint: OutpointText,
  version: z.int(),
  locktime: z.int(),
  /** nSequence of every input, in order; only the offered one binds an ask. */
  sequences: z.array(z.int()),
  /** An ask's payout at the seller's index; all outputs of a bid, in order. */
  payouts: z.array(TxOut),
  /** A bid's other inputs, in order. */
  funding: z.array(OutpointText),
  unsignedTxid: Txid,
})
export type Offer = z.infer<typeof Offer>

/** Free text shown as untrusted: at most 64 characters of printable Unicode. */
export const DiscoveryText = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable Unicode')

/** One wrapper of an authorisation with its sender's claims: evidence, never proof. */
export const OfferClaim = z.strictObject({
  /** Base64 of the PSBT as received. */
  artifact: z.string(),
  inspection: PsbtInspection,
  offer: Offer,
  /** The offered input's utxo as the wrapper states it. */
  claimedPrevout: TxOut.nullable(),
  source: SourceEvidence,
  /** A claimed inscription without a whole output: at most a transaction is claimed. */
  claimedInscription: z
    .strictObject({ inscriptionId: InscriptionId, txid: Txid.exactOptional() })
    .exactOptional(),
  protocolId: DiscoveryText.exactOptional(),
  token: DiscoveryText.exactOptional(),
  /** The seller half of a build of this service: the build's metadata outranks imports. */
  published: z.literal(true).exactOptional(),
  /** Notes from inspecting the envelope: `utxo_without_vout`, … */
  notes: z.array(z.string()),
})
export type OfferClaim = z.infer<typeof OfferClaim>

/** The authorities' positions when the last verdict was given. */
export const Anchor = z.strictObject({
  tip: BlockRef,
  mempoolSequence: z.int().nullable(),
  index: z.strictObject({ ...BlockRef.shape, version: z.string() }).nullable(),
  watermark: WatermarkRef.nullable(),
  /**
   * The partition had not reached this tip when the verdict was given: if the tip is reorganised
   * away before it does, no news will say so.
   */
  ahead: z.literal(true).exactOptional(),
  /**
   * It rests on a mempool transaction that no news had named: if that is removed before the mempool
   * is next read, no news will say so.
   */
  unheard: z.literal(true).exactOptional(),
})
export type Anchor = z.infer<typeof Anchor>

/**
 * The index's answer with the watermark under which it was asked for: an index rebuilt since may
 * say otherwise, and continuity has ended then.
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

/** A pending question: the answer of another attempt, or of a touched one, is discarded. */
export const PendingCheck = z.strictObject({
  attempt: z.int().positive(),
  begunAt: WatermarkRef.nullable(),
  mempoolSequence: z.int().nullable(),
  /** A spend, an output change or a reorg arrived since it was asked. */
  touched: z.boolean(),
  /** How many of `claims` it covers, from the first. */
  asked: z.int().nonnegative(),
  /** Requests that its verdict answers. */
  requests: z.array(WaitingRequest),
  /** Requests that came after it was asked: they wait for the next question. */
  late: z.array(WaitingRequest),
  purpose: z.enum(['import', 'request', 'recheck', 'audit']),
  /** Its answer was ahead of the followed chain: it is asked again with the next watermark. */
  awaitsChain: z.literal(true).exactOptional(),
})
export type PendingCheck = z.infer<typeof PendingCheck>

/** An operator hides the order; the reason is for operators. */
export const Hidden = z.strictObject({ hiddenAt: Timestamp, reason: z.string().exactOptional() })
export type Hidden = z.infer<typeof Hidden>

/** An order as its actor holds it: the fold of its change records. */
export const OrderRecord = z.strictObject({
  id: OrderId,
  network: Network,
  outpoint: OutpointText,
  state: OrderState,
  reason: z.string(),
  seq: z.int().nonnegative(),
  hash: Hash.nullable(),
  /** The kept wrapper: the first whose signature verified, else the first. */
  kept: OfferClaim,
  /** Wrappers still to be judged, oldest first. */
  claims: z.array(OfferClaim),
  sources: z.array(SourceEvidence),
  /** How many sources beyond the 32 kept. */
  sourcesDropped: z.int().nonnegative(),
  notes: z.array(z.string()),
  assets: z.array(AssetClaim),
  validation: Validation,
  anchor: Anchor.nullable(),
  /** The time of the last verification by the authorities themselves. */
  verifiedAt: Timestamp.nullable(),
  /** A signature of the offered output's owner, or a bidder's on all inputs, was verified once. */
  proved: z.literal(true).exactOptional(),
  /** True once a wrapper's metadata was part of a LIVE verdict: no later one changes the market. */
  metadataFixed: z.boolean(),
  protocolId: z.string().exactOptional(),
  token: z.string().exactOptional(),
  side: OrderSide.exactOptional(),
  quotedPriceSats: AtomicSats.exactOptional(),
  sellerScriptHex: Hex.exactOptional(),
  settlement: Settlement.exactOptional(),
  withdrawal: Withdrawal.exactOptional(),
  /** In no list, and its text is only for operators, whatever its state. Absent: it is shown. */
  hidden: Hidden.exactOptional(),
  /** The block of the offered output. */
  outputBlock: BlockRef.nullable(),
  /** The index's answer for the output in `outputBlock`: it holds until the output is spent. */
  indexProof: IndexProof.nullable(),
  spend: Spend.nullable(),
  attempt: z.int().nonnegative(),
  pending: PendingCheck.nullable(),
  /** Closed: final after 100 confirmations, not proved within a day, or to make room. */
  closedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OrderRecord = z.infer<typeof OrderRecord>
