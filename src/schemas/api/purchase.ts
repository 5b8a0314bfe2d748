import { z } from 'zod'
import { AssetClaim, Notice } from '../order.ts'
import {
  AtomicSats,
  BlockRef,
  Hex,
  Network,
  OrderId,
  Outpoint,
  Timestamp,
  Txid,
} from '../scalars.ts'

/**
 * Outputs that a buyer may name as funding: with both paddings 64, and each costs the authorities a
 * question.
 */
const MAX_FUNDING = 62

const FeeRateText = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,4})(?:\.[0-9]{1,3})?$/, 'must be sat/vB with at most three decimals')

/** sat/vB, as text or as a number. */
export const FeeRateInput = z.union([FeeRateText, z.number().transform(String).pipe(FeeRateText)])

/**
 * Gateway spec 2.2: the buyer names only its own outputs. What a quote needs is required.
 */
export const QuoteRequest = z.strictObject({
  assetReceiveAddress: z.string().max(128),
  paymentAddress: z.string().max(128),
  paddingUtxos: z.array(Outpoint).length(2, 'must name exactly two outputs'),
  fundingUtxos: z.array(Outpoint).min(1).max(MAX_FUNDING),
  feeRateSatsPerVb: FeeRateInput.exactOptional(),
})
export type QuoteRequest = z.infer<typeof QuoteRequest>

/** Gateway spec 2.2. */
export const Quote = z.strictObject({
  orderId: OrderId,
  network: Network,
  /** Signed only by the seller. */
  psbt: z.string(),
  sellerIndex: z.int().nonnegative(),
  asset: AssetClaim.nullable(),
  assetReceiveAddress: z.string(),
  paymentAddress: z.string(),
  sellerPaymentScriptHex: Hex,
  assetValueSats: AtomicSats,
  sellerProceedsSats: AtomicSats,
  marketplaceFeeSats: AtomicSats,
  creatorRoyaltySats: AtomicSats,
  networkFeeSats: AtomicSats,
  feeRateSatsPerVb: z.string(),
  estimatedVbytes: z.string(),
  changeSats: AtomicSats,
  paddingSats: AtomicSats,
  totalBuyerCostSats: AtomicSats,
  inputOutpoints: z.array(Outpoint),
  outputScriptsHex: z.array(Hex),
  outputValuesSats: z.array(AtomicSats),
  checkpoint: z.strictObject({ ...BlockRef.shape, assetIndexHeight: z.int().nonnegative() }),
  observedAt: Timestamp,
  expiresAt: Timestamp,
  notices: z.array(Notice).exactOptional(),
})
export type Quote = z.infer<typeof Quote>

/** Gateway spec 2.2. Exactly one of the two. */
export const PreflightRequest = z
  .strictObject({ finalTxHex: z.string().exactOptional(), signedPsbt: z.string().exactOptional() })
  .refine(
    ({ finalTxHex, signedPsbt }) => (finalTxHex === undefined) !== (signedPsbt === undefined),
    'must carry exactly one of finalTxHex and signedPsbt',
  )
  // The refinement in JSON Schema, which has none.
  .meta({ oneOf: [{ required: ['finalTxHex'] }, { required: ['signedPsbt'] }] })
export type PreflightRequest = z.infer<typeof PreflightRequest>

/** Every reason why a preflight may refuse a transaction. Closed: clients may switch on it. */
export const PreflightReject = z.enum([
  'duplicate_input',
  /** No input spends the order's output. */
  'offered_output_not_spent',
  /** Version, locktime or the seller's sequence is not what the seller signed. */
  'authorisation_changed',
  'payout_missing',
  'payout_changed',
  /** An input is spent by a block, or never existed. */
  'input_missing',
  'outputs_exceed_inputs',
  'asset_to_fee',
  'asset_to_payout',
  /** The asset would go to an output without an owner: data, an anchor, a program without rules. */
  'asset_burned',
  'input_unconfirmed',
  /** The index has not examined it: it may hold anything. */
  'input_not_indexed',
  'input_holds_inscription',
  'input_holds_runes',
  'runes_burned',
  'runes_to_payout',
  /** `testmempoolaccept` refuses it; the node's own words are in the notices. */
  'not_accepted_by_node',
])
export type PreflightReject = z.infer<typeof PreflightReject>

/** Gateway spec 2.2. */
export const PreflightResult = z.strictObject({
  finalTxHex: Hex.exactOptional(),
  orderId: OrderId,
  allowed: z.boolean(),
  rejectReason: PreflightReject.exactOptional(),
  txid: Txid.exactOptional(),
  vsize: z.int().exactOptional(),
  feesSats: AtomicSats.exactOptional(),
  checkedAt: Timestamp,
  notices: z.array(Notice).exactOptional(),
})
export type PreflightResult = z.infer<typeof PreflightResult>
