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
  inscriptionId: InscriptionId,
  outpoint: Outpoint,
  inscriptionNumber: z.int().exactOptional(),
})
export type AssetClaim = z.infer<typeof AssetClaim>

export const SourceEvidence = z.strictObject({
  source: Source,
  sourceId: z.string(),
  observedAt: Timestamp,
  eventId: Hash.exactOptional(),
  eventPubkey: Hash.exactOptional(),
  signatureVerified: z.boolean().exactOptional(),
  claimedPriceSats: AtomicSats.exactOptional(),
  claimedAsset: AssetClaim.exactOptional(),
})
export type SourceEvidence = z.infer<typeof SourceEvidence>

export const PsbtInspection = z.strictObject({
  psbtVersion: z.int(),
  unsignedTxid: Txid,
  digest: Hash,
  inputCount: z.int(),
  outputCount: z.int(),
  inputOutpoints: z.array(Outpoint),
  inputWitnessUtxos: z.array(TxOut.nullable()),
  outputValuesSats: z.array(AtomicSats),
  outputScriptsHex: z.array(Hex),
  hasProprietaryFields: z.boolean(),
  hasUnknownFields: z.boolean(),
  signatureStatus: SignatureStatus,
  orderClass: OrderClass,
  safety: Safety,
  reasons: z.array(z.string()),
})
export type PsbtInspection = z.infer<typeof PsbtInspection>

export const Validation = z.strictObject({
  checkedAt: Timestamp,
  nodeStatus: NodeStatus,
  assetStatus: AssetStatus,
  nodeTip: BlockRef.exactOptional(),
  reasons: z.array(z.string()),
})
export type Validation = z.infer<typeof Validation>

export const Settlement = z.strictObject({
  txid: Txid,
  observedAt: Timestamp,
  confirmations: z.int().nonnegative(),
  confirmedAt: Timestamp.exactOptional(),
})
export type Settlement = z.infer<typeof Settlement>

export const VerificationView = z.strictObject({
  checkedAt: Timestamp,
  ageSeconds: z.number(),
  maxAgeSeconds: z.number(),
  stale: z.boolean(),
})
export type VerificationView = z.infer<typeof VerificationView>

export const Withdrawal = z.strictObject({
  withdrawnAt: Timestamp,
  reason: z.string().exactOptional(),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/** Gateway spec 2.2: an order in list and detail. The signed artifact is deliberately absent. */
export const OrderSummary = z.strictObject({
  id: OrderId,
  network: Network,
  inspection: PsbtInspection,
  assets: z.array(AssetClaim),
  sources: z.array(SourceEvidence),
  state: OrderState,
  actionability: Actionability,
  validation: Validation,
  sellerScriptHex: Hex.exactOptional(),
  settlement: Settlement.exactOptional(),
  protocolId: z.string().exactOptional(),
  token: z.string().exactOptional(),
  side: OrderSide.exactOptional(),
  quotedPriceSats: AtomicSats.exactOptional(),
  withdrawal: Withdrawal.exactOptional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OrderSummary = z.infer<typeof OrderSummary>

export const OrderPage = z.strictObject({
  orders: z.array(OrderSummary),
  total: z.int(),
  limit: z.int(),
  nextCursor: z.string(),
  hasMore: z.boolean(),
})
export type OrderPage = z.infer<typeof OrderPage>

export const ActivityEntry = z.strictObject({
  id: z.string(),
  orderId: OrderId,
  fromState: OrderState.nullable(),
  toState: OrderState,
  reason: z.string(),
  actor: z.string(),
  observedAt: Timestamp,
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const ActivityPage = z.strictObject({
  entries: z.array(ActivityEntry),
  limit: z.int(),
  nextCursor: z.string(),
  hasMore: z.boolean(),
})
export type ActivityPage = z.infer<typeof ActivityPage>

export const Notice = z.strictObject({ code: z.string(), message: z.string() })
export type Notice = z.infer<typeof Notice>

/** The signed artifact with its current verification: released only while the order is LIVE. */
export const OrderArtifact = z.strictObject({
  orderId: OrderId,
  network: Network,
  psbt: z.string(),
  digest: Hash,
  inspection: PsbtInspection,
  validation: Validation,
  verification: VerificationView,
  state: OrderState,
  actionability: Actionability,
  notices: z.array(Notice).exactOptional(),
})
export type OrderArtifact = z.infer<typeof OrderArtifact>

const countsOf = <T extends z.ZodType<string>>(value: T) =>
  z.array(z.strictObject({ value, count: z.int().nonnegative() }))

/** Every value of a facet with its count, also those that no order has, in a fixed order. */
export const OrderFacets = z.strictObject({
  total: z.int().nonnegative().describe('orders that pass all filters'),
  facets: z.strictObject({
    state: countsOf(OrderState),
    side: countsOf(OrderSide),
    protocol: countsOf(z.string()).describe(
      'the markets of the catalog, each with its aliases; orders of other markets count in none',
    ),
    group: countsOf(z.string()),
    source: countsOf(Source).describe('an order counts for each of its sources'),
    orderClass: countsOf(OrderClass),
    safety: countsOf(Safety),
    signature: countsOf(SignatureStatus),
    actionability: countsOf(Actionability).describe('as of the answer, which may be 5 s old'),
  }),
})
export type OrderFacets = z.infer<typeof OrderFacets>
