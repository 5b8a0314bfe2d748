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

/** Fee rates of the node, the soonest block first. */
export const FeeEstimates = z.strictObject({
  network: Network.describe('the Bitcoin network of the node'),
  estimates: z
    .array(
      z.strictObject({
        blocks: z
          .int()
          .positive()
          .describe('blocks until a transaction with this rate is confirmed'),
        feeRateSatsPerVb: z.string().describe('fee rate, sat/vB'),
      }),
    )
    .describe('estimates of the node, the soonest first; empty: it has none, as on regtest'),
  minimumFeeRateSatsPerVb: z.string().describe('the least that the node accepts now, sat/vB'),
  observedAt: Timestamp.describe('when the node was asked'),
})
export type FeeEstimates = z.infer<typeof FeeEstimates>

/**
 * Gateway spec 2.2: the buyer names only its own outputs. What a quote needs is required.
 */
export const QuoteRequest = z.strictObject({
  assetReceiveAddress: z
    .string()
    .max(128)
    .describe('the buyer’s address for the asset; not the payment address'),
  paymentAddress: z.string().max(128).describe('the buyer’s address for change and padding'),
  paddingUtxos: z
    .array(Outpoint)
    .length(2, 'must name exactly two outputs')
    .describe(
      'two small outputs of the buyer, which go ahead of the offered one so that the asset reaches the buyer',
    ),
  fundingUtxos: z
    .array(Outpoint)
    .min(1)
    .max(MAX_FUNDING)
    .describe('outputs of the buyer that pay; value and script are read from the node'),
  feeRateSatsPerVb: FeeRateInput.exactOptional().describe(
    'fee rate, sat/vB with at most three decimals; by default the estimate of the node',
  ),
})
export type QuoteRequest = z.infer<typeof QuoteRequest>

/** Gateway spec 2.2. */
export const Quote = z.strictObject({
  orderId: OrderId.describe('the order that is bought'),
  network: Network.describe('the Bitcoin network of the order'),
  psbt: z
    .string()
    .describe('the PSBT for the buyer to sign, base64; signed only by the seller so far'),
  sellerIndex: z
    .int()
    .nonnegative()
    .describe('index of the seller’s input and of the seller’s payment output, from 0'),
  asset: AssetClaim.nullable().describe('the asset that is bought; null: the output itself'),
  assetReceiveAddress: z.string().describe('address that receives the asset'),
  paymentAddress: z.string().describe('address that receives change and padding'),
  sellerPaymentScriptHex: Hex.describe('script that the seller is paid at, hex'),
  assetValueSats: AtomicSats.describe('value of the offered output, which goes to the buyer, sats'),
  sellerProceedsSats: AtomicSats.describe('what the seller is paid, sats'),
  marketplaceFeeSats: AtomicSats.describe('fee of the marketplace, sats'),
  creatorRoyaltySats: AtomicSats.describe('royalty of the creator, sats'),
  networkFeeSats: AtomicSats.describe('network fee, sats'),
  feeRateSatsPerVb: z.string().describe('fee rate, sat/vB'),
  estimatedVbytes: z.string().describe('estimated size of the signed transaction, vB'),
  changeSats: AtomicSats.describe('change of the buyer, sats'),
  paddingSats: AtomicSats.describe('padding that the buyer supplies and gets back, sats: no cost'),
  totalBuyerCostSats: AtomicSats.describe('all that the buyer pays, sats'),
  inputOutpoints: z.array(Outpoint).describe('outputs that are spent, in input order'),
  outputScriptsHex: z.array(Hex).describe('scripts of the outputs in order, hex'),
  outputValuesSats: z.array(AtomicSats).describe('values of the outputs in order, sats'),
  checkpoint: z
    .strictObject({
      ...BlockRef.shape,
      assetIndexHeight: z.int().nonnegative().describe('height of the asset index'),
    })
    .describe('tip of the node, and height of the index, that the quote was made at'),
  observedAt: Timestamp.describe('when the quote was made'),
  expiresAt: Timestamp.describe('until when the quote is meant to be used'),
  notices: z.array(Notice).exactOptional().describe('what the buyer should know'),
})
export type Quote = z.infer<typeof Quote>

/** Gateway spec 2.2. Exactly one of the two. */
export const PreflightRequest = z
  .strictObject({
    finalTxHex: z.string().exactOptional().describe('the final transaction, hex'),
    signedPsbt: z
      .string()
      .exactOptional()
      .describe('the PSBT of the quote, signed by the buyer, base64 or hex'),
  })
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
  finalTxHex: Hex.exactOptional().describe(
    'the exact bytes that were checked, hex: broadcast these and no others',
  ),
  orderId: OrderId.describe('the order that is bought'),
  allowed: z
    .boolean()
    .describe(
      'whether the transaction buys the order, loses no asset, and the node would accept it',
    ),
  rejectReason: PreflightReject.exactOptional().describe('code of why not'),
  txid: Txid.exactOptional().describe('id of the transaction'),
  vsize: z.int().exactOptional().describe('size of the transaction, vB'),
  feesSats: AtomicSats.exactOptional().describe('network fee of the transaction, sats'),
  checkedAt: Timestamp.describe('when it was checked'),
  notices: z.array(Notice).exactOptional().describe('what the buyer should know'),
})
export type PreflightResult = z.infer<typeof PreflightResult>
