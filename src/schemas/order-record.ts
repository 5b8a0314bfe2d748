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
  side: OrderSide.describe('ASK: the seller signed, BID: the buyer signed'),
  sellerIndex: z.int().nonnegative().describe('index of the offered input, from 0'),
  outpoint: OutpointText.describe('the offered output'),
  version: z.int().describe('nVersion of the transaction'),
  locktime: z.int().describe('nLockTime of the transaction'),
  sequences: z
    .array(z.int())
    .describe('nSequence of every input, in order; only the offered one binds an ask'),
  payouts: z
    .array(TxOut)
    .describe('of an ask the payout at the seller’s index; of a bid all outputs, in order'),
  funding: z.array(OutpointText).describe('the other inputs of a bid, in order'),
  unsignedTxid: Txid.describe('txid of the unsigned transaction'),
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
  artifact: z.string().describe('the PSBT as received, base64'),
  inspection: PsbtInspection.describe('what the PSBT is and contains'),
  offer: Offer.describe('what its signatures commit to'),
  claimedPrevout: TxOut.nullable().describe(
    'the offered output as the PSBT states it; null: it states none',
  ),
  source: SourceEvidence.describe('who sent it'),
  claimedInscription: z
    .strictObject({
      inscriptionId: InscriptionId.describe('the claimed inscription'),
      txid: Txid.exactOptional().describe('transaction of the output that was claimed to hold it'),
    })
    .exactOptional()
    .describe('a claimed inscription without its whole output; untrusted'),
  protocolId: DiscoveryText.exactOptional().describe(
    'the market, as its sender gave it; untrusted',
  ),
  token: DiscoveryText.exactOptional().describe('the token, as its sender gave it; untrusted'),
  published: z
    .literal(true)
    .exactOptional()
    .describe('it was built and published here: what the build says outranks imports'),
  notes: z.array(z.string()).describe('what the inspection of the PSBT noted, as codes'),
})
export type OfferClaim = z.infer<typeof OfferClaim>

/** The authorities' positions when the last verdict was given. */
export const Anchor = z.strictObject({
  tip: BlockRef.describe('tip of the node'),
  mempoolSequence: z.int().nullable().describe('mempool sequence of the node; null: not known'),
  index: z
    .strictObject({ ...BlockRef.shape, version: z.string().describe('version of the index') })
    .nullable()
    .describe('tip and version of the index; null: it was not asked'),
  watermark: WatermarkRef.nullable().describe('the last watermark before the verdict; null: none'),
  ahead: z
    .literal(true)
    .exactOptional()
    .describe('the partition had not reached this tip when the verdict was given'),
  unheard: z
    .literal(true)
    .exactOptional()
    .describe('the verdict rests on a mempool transaction that no news had named'),
})
export type Anchor = z.infer<typeof Anchor>

/**
 * The index's answer with the watermark under which it was asked for: an index rebuilt since may
 * say otherwise, and continuity has ended then.
 */
export const IndexProof = z.strictObject({
  ...IndexAnswer.shape,
  begunAt: WatermarkRef.nullable().describe(
    'the watermark under which the index was asked; null: none',
  ),
})
export type IndexProof = z.infer<typeof IndexProof>

/** A request that waits for a verdict. */
export const WaitingRequest = z.strictObject({
  requestId: z.string().describe('id of the request'),
  kind: z.enum(['import', 'revalidate']).describe('what was requested'),
})
export type WaitingRequest = z.infer<typeof WaitingRequest>

/** A pending question: the answer of another attempt, or of a touched one, is discarded. */
export const PendingCheck = z.strictObject({
  attempt: z.int().positive().describe('number of the question, from 1'),
  begunAt: WatermarkRef.nullable().describe('the last watermark when it was asked; null: none'),
  mempoolSequence: z
    .int()
    .nullable()
    .describe('mempool sequence of the node then; null: not known'),
  touched: z.boolean().describe('news of its output came since it was asked'),
  asked: z.int().nonnegative().describe('how many of `claims` it covers, from the first'),
  requests: z.array(WaitingRequest).describe('requests that its verdict answers'),
  late: z.array(WaitingRequest).describe('requests that came after it was asked'),
  purpose: z.enum(['import', 'request', 'recheck', 'audit']).describe('why it was asked'),
  awaitsChain: z
    .literal(true)
    .exactOptional()
    .describe('its answer was ahead of the followed chain'),
})
export type PendingCheck = z.infer<typeof PendingCheck>

/** An operator hides the order; the reason is for operators. */
export const Hidden = z.strictObject({
  hiddenAt: Timestamp.describe('when an operator hid the order'),
  reason: z.string().exactOptional().describe('what the operator wrote, for operators'),
})
export type Hidden = z.infer<typeof Hidden>

/** An order as its actor holds it: the fold of its change records. */
export const OrderRecord = z.strictObject({
  id: OrderId.describe('order id'),
  network: Network.describe('the Bitcoin network of the order'),
  outpoint: OutpointText.describe('the offered output'),
  state: OrderState.describe('state of the order'),
  reason: z.string().describe('code of why it has its state'),
  seq: z.int().nonnegative().describe('number of its last change; 0: none yet'),
  hash: Hash.nullable().describe('hash of its last change; null: none yet'),
  kept: OfferClaim.describe(
    'the wrapper that is kept: the first whose signature verified, else the first',
  ),
  claims: z.array(OfferClaim).describe('wrappers still to be judged, oldest first'),
  sources: z.array(SourceEvidence).describe('who sent the order, oldest first'),
  sourcesDropped: z.int().nonnegative().describe('how many sources there were beyond the 32 kept'),
  notes: z.array(z.string()).describe('what was noted of the order, as codes'),
  assets: z.array(AssetClaim).describe('the assets that it is for'),
  validation: Validation.describe('the last answers of node and index'),
  anchor: Anchor.nullable().describe(
    'positions of the authorities at the last verdict; null: none yet',
  ),
  verifiedAt: Timestamp.nullable().describe(
    'when node and index were last asked about it; null: not yet',
  ),
  proved: z
    .literal(true)
    .exactOptional()
    .describe('a signature of the owner, or of a bidder on all inputs, was verified once'),
  metadataFixed: z
    .boolean()
    .describe('true once its metadata was part of a LIVE verdict: no later one changes the market'),
  protocolId: z.string().exactOptional().describe('the market; untrusted'),
  token: z.string().exactOptional().describe('the token; untrusted'),
  side: OrderSide.exactOptional().describe('ASK: the seller signed, BID: the buyer signed'),
  quotedPriceSats: AtomicSats.exactOptional().describe('the signed price, sats'),
  sellerScriptHex: Hex.exactOptional().describe('script of the offered output, hex'),
  settlement: Settlement.exactOptional().describe('the purchase, if one was observed on the chain'),
  withdrawal: Withdrawal.exactOptional().describe('when and why it was withdrawn'),
  hidden: Hidden.exactOptional().describe('when and why an operator hid it'),
  outputBlock: BlockRef.nullable().describe(
    'the block of the offered output; null: not known, or in the mempool',
  ),
  indexProof: IndexProof.nullable().describe(
    'the answer of the index for the output in `outputBlock`; null: none',
  ),
  spend: Spend.nullable().describe('what spent the output; null: nothing'),
  attempt: z.int().nonnegative().describe('number of its last question'),
  pending: PendingCheck.nullable().describe('the question that waits for an answer; null: none'),
  closedAt: Timestamp.nullable().describe('when it ceased to be followed; null: it is followed'),
  createdAt: Timestamp.describe('when the service received the order first'),
  updatedAt: Timestamp.describe('when the order last changed'),
})
export type OrderRecord = z.infer<typeof OrderRecord>
