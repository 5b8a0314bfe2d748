import { z } from 'zod'
import { Evidence, Spend } from '../evidence.ts'
import { ChangeRecord } from '../log.ts'
import { Settlement } from '../order.ts'
import { IndexProof, OfferClaim } from '../order-record.ts'
import {
  BlockHash,
  BlockRef,
  Hash,
  Hex,
  Network,
  OrderId,
  OrderState,
  OutpointText,
  Timestamp,
  Txid,
} from '../scalars.ts'

/** Raised when the shape of a bundle changes. */
export const BUNDLE_FORMAT = 'market-dispute/1'

/**
 * Why a change is not there as the log has it: it carries an artifact that is not released, the name
 * or the words of an operator, or it was one too many.
 */
export const WhyWithheld = z.enum(['artifact', 'operator', 'size'])
export type WhyWithheld = z.infer<typeof WhyWithheld>

/** A change whose record is withheld: its hash cannot be recomputed. */
export const WithheldChange = z.strictObject({
  withheld: WhyWithheld,
  seq: z.int().positive(),
  kind: ChangeRecord.shape.kind,
  fromState: OrderState.nullable(),
  toState: OrderState,
  reason: z.string(),
  actor: z.string(),
  observedAt: Timestamp,
  /** Null: no authority was asked, or it is too long for the bundle. */
  evidence: Evidence.nullable(),
  prevHash: Hash.nullable(),
  hash: Hash,
})
export type WithheldChange = z.infer<typeof WithheldChange>

export const BundledChange = z.union([z.strictObject({ record: ChangeRecord }), WithheldChange])
export type BundledChange = z.infer<typeof BundledChange>

/** A transaction, and that it is in a block. */
export const TransactionProof = z.strictObject({
  txid: Txid,
  block: BlockRef,
  /** What its txid is made from: without witnesses. */
  transaction: Hex,
  /** A `merkleblock` of BIP 37, as `gettxoutproof` gives it: begins with the block's header. */
  proof: Hex,
})
export type TransactionProof = z.infer<typeof TransactionProof>

/** A block that evidence names. */
export const BundledHeader = z.strictObject({ hash: BlockHash, header: Hex })

/** What a bundle has of the order itself, as its last change left it. */
export const BundledOrder = z.strictObject({
  outpoint: OutpointText,
  state: OrderState,
  reason: z.string(),
  seq: z.int().positive(),
  hash: Hash,
  /** The kept wrapper without its artifact. */
  claim: OfferClaim.omit({ artifact: true }),
  outputBlock: BlockRef.nullable(),
  indexProof: IndexProof.nullable(),
  spend: Spend.nullable(),
  settlement: Settlement.nullable(),
})
export type BundledOrder = z.infer<typeof BundledOrder>

/** Everything but the bundle's own hash and signature. */
export const UnsealedBundle = z.strictObject({
  format: z.literal(BUNDLE_FORMAT),
  network: Network,
  orderId: OrderId,
  order: BundledOrder,
  artifact: z.strictObject({
    /** SHA-256 of the decoded PSBT. */
    digest: Hash,
    /** Base64; null: it is withheld. */
    psbt: z.base64().nullable(),
    /** Why; null: it is there. */
    withheld: z.enum(['not_live', 'stale']).nullable(),
  }),
  /** By seq without gaps, up to the order's last one; those before the first are left out. */
  changes: z.array(BundledChange).min(1),
  proofs: z.strictObject({
    /** The transaction that made the offered output; null if the node gave no proof. */
    output: TransactionProof.nullable(),
    /** The one that spent it in a block. */
    spend: TransactionProof.nullable(),
    /** Headers of the blocks that evidence names, as far as the node has them, by hash. */
    headers: z.array(BundledHeader),
  }),
})
export type UnsealedBundle = z.infer<typeof UnsealedBundle>

export const DisputeBundle = z.strictObject({
  ...UnsealedBundle.shape,
  /** SHA-256 of the RFC 8785 form of all the rest, but the signature. */
  sha256: Hash,
  signature: z
    .strictObject({
      publicKey: Hash.describe('x-only (BIP 340)'),
      signature: z.string().regex(/^[0-9a-f]{128}$/),
    })
    .exactOptional()
    .describe('of the service that made it; absent: it has no BUNDLE_KEY'),
})
export type DisputeBundle = z.infer<typeof DisputeBundle>
