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
  withheld: WhyWithheld.describe(
    'why its record is withheld: its PSBT is not released, it has words of an operator, or it is too large',
  ),
  seq: z.int().positive().describe('number of the change among the changes of its order, from 1'),
  kind: ChangeRecord.shape.kind.describe(
    '`transition`: the state changed; `verified`: only its proof; `noted`: anything else',
  ),
  fromState: OrderState.nullable().describe('the state before; null: the first change'),
  toState: OrderState.describe('the state after'),
  reason: z.string().describe('code of why it changed'),
  actor: z.string().describe('who caused it'),
  observedAt: Timestamp.describe('when the change was observed'),
  evidence: Evidence.nullable().describe(
    'the answers that it was decided by; null: no authority was asked, or it is too long for the bundle',
  ),
  prevHash: Hash.nullable().describe('hash of the order’s previous change; null: the first'),
  hash: Hash.describe('hash of the withheld record'),
})
export type WithheldChange = z.infer<typeof WithheldChange>

export const BundledChange = z.union([
  z.strictObject({ record: ChangeRecord.describe('the record as the log has it') }),
  WithheldChange,
])
export type BundledChange = z.infer<typeof BundledChange>

/** A transaction, and that it is in a block. */
export const TransactionProof = z.strictObject({
  txid: Txid.describe('id of the transaction'),
  block: BlockRef.describe('the block that contains it'),
  transaction: Hex.describe('the transaction without witnesses, hex: its txid is made from it'),
  proof: Hex.describe(
    'a `merkleblock` of BIP 37, hex, as `gettxoutproof` of Bitcoin Core gives it',
  ),
})
export type TransactionProof = z.infer<typeof TransactionProof>

/** A block that evidence names. */
export const BundledHeader = z.strictObject({
  hash: BlockHash.describe('hash of the block'),
  header: Hex.describe('header of the block, 80 bytes in hex'),
})

/** What a bundle has of the order itself, as its last change left it. */
export const BundledOrder = z.strictObject({
  outpoint: OutpointText.describe('the offered output'),
  state: OrderState.describe('state of the order'),
  reason: z.string().describe('code of why it has its state'),
  seq: z.int().positive().describe('number of its last change'),
  hash: Hash.describe('hash of its last change'),
  claim: OfferClaim.omit({ artifact: true }).describe('the wrapper that is kept, without its PSBT'),
  outputBlock: BlockRef.nullable().describe(
    'block of the offered output; null: not known, or in the mempool',
  ),
  indexProof: IndexProof.nullable().describe('the answer of the index for the output; null: none'),
  spend: Spend.nullable().describe('what spent the output; null: nothing'),
  settlement: Settlement.nullable().describe('the purchase; null: none was observed'),
})
export type BundledOrder = z.infer<typeof BundledOrder>

/** Everything but the bundle's own hash and signature. */
export const UnsealedBundle = z.strictObject({
  format: z.literal(BUNDLE_FORMAT).describe('format of the bundle'),
  network: Network.describe('the Bitcoin network'),
  orderId: OrderId.describe('the order that it is about'),
  order: BundledOrder.describe('the order as its last change left it'),
  artifact: z
    .strictObject({
      digest: Hash.describe('SHA-256 of the decoded PSBT'),
      psbt: z.base64().nullable().describe('the PSBT, base64; null: it is withheld'),
      withheld: z
        .enum(['not_live', 'stale'])
        .nullable()
        .describe('why it is withheld; null: it is there'),
    })
    .describe('the PSBT, or why it is withheld'),
  changes: z
    .array(BundledChange)
    .min(1)
    .describe('the changes of the order by seq without gaps, up to the last one'),
  proofs: z
    .strictObject({
      output: TransactionProof.nullable().describe(
        'the transaction that made the offered output; null: the node gave no proof',
      ),
      spend: TransactionProof.nullable().describe(
        'the transaction that spent it in a block; null: none, or no proof',
      ),
      headers: z
        .array(BundledHeader)
        .describe(
          'headers of the blocks that evidence names, as far as the node has them, by hash',
        ),
    })
    .describe('what the node says of the transactions and blocks that are named'),
})
export type UnsealedBundle = z.infer<typeof UnsealedBundle>

export const DisputeBundle = z.strictObject({
  ...UnsealedBundle.shape,
  sha256: Hash.describe('SHA-256 of the RFC 8785 form of all the rest, but the signature'),
  signature: z
    .strictObject({
      publicKey: Hash.describe('x-only (BIP 340)'),
      signature: z
        .string()
        .regex(/^[0-9a-f]{128}$/)
        .describe('signature of `sha256` (BIP 340)'),
    })
    .exactOptional()
    .describe('of the service that made it; absent: it has no BUNDLE_KEY'),
})
export type DisputeBundle = z.infer<typeof DisputeBundle>
