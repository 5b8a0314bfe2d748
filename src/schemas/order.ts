import { z } from 'zod'
import {
  Actionability,
  AssetStatus,
  AtomicSats,
  BlockRef,
  Hash,
  Hex,
  InscriptionId,
  Network,
  NodeStatus,
  OrderClass,
  OrderId,
  OrderSide,
  OrderState,
  Outpoint,
  Safety,
  SignatureStatus,
  Source,
  Timestamp,
  Txid,
  TxOut,
} from './scalars.ts'

/** Gateway spec 2.2. The number is read from the index during verification, never from a claim. */
export const AssetClaim = z.strictObject({
  inscriptionId: InscriptionId.describe('the inscription, `<reveal txid>i<index>`'),
  outpoint: Outpoint.describe('the output that holds it'),
  inscriptionNumber: z
    .int()
    .exactOptional()
    .describe('number of the inscription, read from the asset index during verification'),
})
export type AssetClaim = z.infer<typeof AssetClaim>

export const SourceEvidence = z.strictObject({
  source: Source.describe('the kind of source that sent the order'),
  sourceId: z
    .string()
    .describe('name of the source, as the source or the sender gave it; untrusted'),
  observedAt: Timestamp.describe('when the service received it'),
  eventId: Hash.exactOptional().describe('id of the Nostr event that carried it (NIP-01)'),
  eventPubkey: Hash.exactOptional().describe('x-only public key that signed the event'),
  signatureVerified: z
    .boolean()
    .exactOptional()
    .describe('whether the event’s own signature is valid; proves nothing of the PSBT'),
  claimedPriceSats: AtomicSats.exactOptional().describe(
    'price that the source gave, sats; untrusted',
  ),
  claimedAsset: AssetClaim.exactOptional().describe('asset that the source gave; untrusted'),
})
export type SourceEvidence = z.infer<typeof SourceEvidence>

export const PsbtInspection = z.strictObject({
  psbtVersion: z.int().describe('version of the PSBT: 0 (BIP 174) or 2 (BIP 370)'),
  unsignedTxid: Txid.describe('txid of the unsigned transaction in the PSBT'),
  digest: Hash.describe('SHA-256 of the decoded PSBT'),
  inputCount: z.int().describe('inputs of the transaction'),
  outputCount: z.int().describe('outputs of the transaction'),
  inputOutpoints: z.array(Outpoint).describe('the outputs that it spends, in input order'),
  inputWitnessUtxos: z
    .array(TxOut.nullable())
    .describe('for each input, value and script as the PSBT states them; null: it states none'),
  outputValuesSats: z.array(AtomicSats).describe('values of the outputs in order, sats'),
  outputScriptsHex: z.array(Hex).describe('scripts of the outputs in order, hex'),
  hasProprietaryFields: z.boolean().describe('whether the PSBT has proprietary fields (BIP 174)'),
  hasUnknownFields: z
    .boolean()
    .describe('whether the PSBT has fields that neither BIP 174 nor BIP 370 names'),
  signatureStatus: SignatureStatus.describe(
    'whether its signatures are valid for the prevouts of the node',
  ),
  orderClass: OrderClass.describe('what kind of order its signatures make'),
  safety: Safety.describe('what a buyer who relies on it risks: others can take an ask before'),
  reasons: z.array(z.string()).describe('why it has its class and safety'),
})
export type PsbtInspection = z.infer<typeof PsbtInspection>

export const Validation = z.strictObject({
  checkedAt: Timestamp.describe(
    'when node and index last confirmed the order, or its output was last watched without a gap',
  ),
  nodeStatus: NodeStatus.describe('what the full node said of the offered output'),
  assetStatus: AssetStatus.describe('what the asset index said of the claimed asset'),
  nodeTip: BlockRef.exactOptional().describe('the tip of the full node when it was asked'),
  reasons: z
    .array(z.string())
    .describe('codes of why the order has its state: see docs/order-states.md'),
})
export type Validation = z.infer<typeof Validation>

export const Settlement = z.strictObject({
  txid: Txid.describe('the transaction that bought it'),
  observedAt: Timestamp.describe('when the service saw the transaction first'),
  confirmations: z
    .int()
    .nonnegative()
    .describe('blocks that confirm it, its own included; 0: it is in the mempool'),
  confirmedAt: Timestamp.exactOptional().describe('when the service saw it in a block'),
})
export type Settlement = z.infer<typeof Settlement>

export const VerificationView = z.strictObject({
  checkedAt: Timestamp.describe('when the order was last verified'),
  ageSeconds: z.number().describe('age of that verification, seconds'),
  maxAgeSeconds: z.number().describe('the age up to which a verification counts as fresh, seconds'),
  stale: z.boolean().describe('whether the age is above that'),
})
export type VerificationView = z.infer<typeof VerificationView>

export const Withdrawal = z.strictObject({
  withdrawnAt: Timestamp.describe('when the order was withdrawn'),
  reason: z.string().exactOptional().describe('what the seller or the operator wrote; untrusted'),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/** Gateway spec 2.2: an order in list and detail. The signed artifact is deliberately absent. */
export const OrderSummary = z.strictObject({
  id: OrderId.describe(
    'order id: names what the signatures authorise, in whichever PSBT they come',
  ),
  network: Network.describe('the Bitcoin network of the order'),
  inspection: PsbtInspection.describe(
    'what the PSBT is and contains; the PSBT itself is in the artifact',
  ),
  assets: z
    .array(AssetClaim)
    .describe('the assets that the order is for: proved ones if it is LIVE, else claimed ones'),
  sources: z.array(SourceEvidence).describe('who sent the order, oldest first: at most 32'),
  state: OrderState.describe('state of the order, decided by node and index'),
  actionability: Actionability.describe('what can be done with the order now; BLOCKED: nothing'),
  validation: Validation.describe('the last answers of node and index'),
  sellerScriptHex: Hex.exactOptional().describe(
    'script of the offered output, hex: identifies its owner',
  ),
  settlement: Settlement.exactOptional().describe('the purchase, if one was observed on the chain'),
  protocolId: z
    .string()
    .exactOptional()
    .describe('the market, a catalog id, as its sender gave it; untrusted'),
  token: z
    .string()
    .exactOptional()
    .describe('name of the token or collection, as its sender gave it; untrusted'),
  side: OrderSide.exactOptional().describe('ASK: the seller signed, BID: the buyer signed'),
  quotedPriceSats: AtomicSats.exactOptional().describe(
    'the signed price, sats: of an ask what its seller is paid; of a bid without the value of the wanted output',
  ),
  withdrawal: Withdrawal.exactOptional().describe(
    'when and why it was withdrawn; absent: it is not',
  ),
  createdAt: Timestamp.describe('when the service received the order first'),
  updatedAt: Timestamp.describe('when the order last changed'),
})
export type OrderSummary = z.infer<typeof OrderSummary>

export const OrderPage = z.strictObject({
  orders: z.array(OrderSummary).describe('orders of this page'),
  total: z.int().describe('number of orders that pass the filters, over all pages'),
  limit: z.int().describe('most entries of a page, as asked for'),
  nextCursor: z.string().describe('`cursor` of the next page; empty on the last page'),
  hasMore: z.boolean().describe('whether there is a next page'),
})
export type OrderPage = z.infer<typeof OrderPage>

export const ActivityEntry = z.strictObject({
  id: z.string().describe('id of the change, unique in the activity'),
  orderId: OrderId.describe('the order that changed'),
  fromState: OrderState.nullable().describe(
    'the state before; null: the first change of the order',
  ),
  toState: OrderState.describe('the state after'),
  reason: z.string().describe('code of why it changed: see docs/order-states.md'),
  actor: z.string().describe('who caused it: `reconciler`, `seller`, `operator` or `import`'),
  observedAt: Timestamp.describe('when the change was observed'),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const ActivityPage = z.strictObject({
  entries: z.array(ActivityEntry).describe('changes of state, newest first'),
  limit: z.int().describe('most entries of a page, as asked for'),
  nextCursor: z.string().describe('`cursor` of the next page; empty on the last page'),
  hasMore: z.boolean().describe('whether there is a next page'),
})
export type ActivityPage = z.infer<typeof ActivityPage>

export const Notice = z.strictObject({
  code: z.string().describe('code of the notice, for programs'),
  message: z.string().describe('what the reader should know, in words'),
})
export type Notice = z.infer<typeof Notice>

/** The signed artifact with its current verification: released only while the order is LIVE. */
export const OrderArtifact = z.strictObject({
  orderId: OrderId.describe('the order that the PSBT belongs to'),
  network: Network.describe('the Bitcoin network of the order'),
  psbt: z.string().describe('the signed PSBT, base64'),
  digest: Hash.describe('SHA-256 of the decoded PSBT'),
  inspection: PsbtInspection.describe('what the PSBT is and contains'),
  validation: Validation.describe('the last answers of node and index'),
  verification: VerificationView.describe('how old these answers are'),
  state: OrderState.describe('state of the order: LIVE, since no other releases its PSBT'),
  actionability: Actionability.describe('what can be done with the order now'),
  notices: z.array(Notice).exactOptional().describe('what a buyer should know before using it'),
})
export type OrderArtifact = z.infer<typeof OrderArtifact>

const countsOf = <T extends z.ZodType<string>>(value: T) =>
  z.array(
    z.strictObject({
      value: value.describe('a value of the facet'),
      count: z
        .int()
        .nonnegative()
        .describe('orders that have it and pass the filters of the other facets'),
    }),
  )

/** Every value of a facet with its count, also those that no order has, in a fixed order. */
export const OrderFacets = z.strictObject({
  total: z.int().nonnegative().describe('orders that pass all filters'),
  facets: z
    .strictObject({
      state: countsOf(OrderState).describe('orders by state'),
      side: countsOf(OrderSide).describe('orders by side'),
      protocol: countsOf(z.string()).describe(
        'the markets of the catalog, each with its aliases; orders of other markets count in none',
      ),
      group: countsOf(z.string()).describe('orders by group of the catalog'),
      source: countsOf(Source).describe('an order counts for each of its sources'),
      orderClass: countsOf(OrderClass).describe('orders by class'),
      safety: countsOf(Safety).describe('orders by safety'),
      signature: countsOf(SignatureStatus).describe('orders by the status of their signatures'),
      actionability: countsOf(Actionability).describe('as of the answer, which may be 5 s old'),
    })
    .describe('the counts, by facet'),
})
export type OrderFacets = z.infer<typeof OrderFacets>
