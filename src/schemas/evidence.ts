import { z } from 'zod'
import {
  AtomicSats,
  BlockRef,
  Hash,
  InscriptionId,
  OutpointText,
  SignatureStatus,
  Timestamp,
  Txid,
  TxOut,
} from './scalars.ts'

/** Why an authority gave no usable answer. */
export const NodeTrouble = z.enum([
  'node_unconfigured',
  'node_unavailable',
  'node_unauthorized',
  'node_warming_up',
  'node_in_ibd',
  'node_wrong_network',
  'node_mempool_loading',
])
export type NodeTrouble = z.infer<typeof NodeTrouble>

export const IndexTrouble = z.enum([
  'asset_index_unconfigured',
  'asset_index_unreachable',
  'asset_index_behind',
  'asset_index_reorged',
  'asset_index_malformed',
  'asset_index_not_asked',
])
export type IndexTrouble = z.infer<typeof IndexTrouble>

/** Who spent an output. `unsignedTxid` is the txid without scriptSigs: what a bid committed to. */
export const Spend = z.strictObject({
  txid: Txid,
  inputIndex: z.int().nonnegative(),
  unsignedTxid: Txid,
  /** The output of the spender at the index of the spending input; null where there is none. */
  pairedOutput: TxOut.nullable(),
  /** The spender's block; null while it is in the mempool. */
  block: z.strictObject({ ...BlockRef.shape, time: z.int() }).nullable(),
})
export type Spend = z.infer<typeof Spend>

/** What the node says of one output. */
export const OutputEvidence = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('unspent'),
    output: TxOut,
    coinbase: z.boolean(),
    /** The block that made it; null while its transaction is in the mempool. */
    block: BlockRef.nullable(),
    /** Median time past of the block before `block`, for BIP68 time locks; seconds. */
    priorMedianTime: z.int().nullable(),
  }),
  /** Spent; `by` is null if this node has no means to name the spender. */
  z.strictObject({
    status: z.literal('spent'),
    confirmed: z.boolean(),
    output: TxOut.nullable(),
    block: BlockRef.nullable(),
    by: Spend.nullable(),
  }),
  z.strictObject({ status: z.literal('missing') }),
])
export type OutputEvidence = z.infer<typeof OutputEvidence>

/**
 * The judgement of one wrapper against the node's prevouts: an ask's signature, or the signatures
 * of all of a bid's own inputs.
 */
export const SignatureEvidence = z.strictObject({
  /** SHA-256 of the decoded PSBT that carried it. */
  digest: Hash,
  status: SignatureStatus,
  reason: z
    .enum([
      'legacy_input',
      'script_sig_missing',
      'sighash_byte_missing_recoverable',
      'sighash_not_single_anyonecanpay',
      'signature_beyond_bound',
      'signature_invalid',
      'signature_unverifiable',
      'witness_not_standard',
    ])
    .nullable(),
  by: z.enum(['local', 'node', 'none']),
})
export type SignatureEvidence = z.infer<typeof SignatureEvidence>

export const NodeEvidence = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('unavailable'), reason: NodeTrouble }),
  z.strictObject({
    status: z.literal('ready'),
    tip: z.strictObject({ ...BlockRef.shape, medianTime: z.int() }),
    /** Bitcoin Core's version: what it relays depends on it. */
    coreVersion: z.int().exactOptional(),
    /** The offered output. */
    output: OutputEvidence,
    /** A bid's own inputs, by outpoint, in input order, as signed in the wrapper kept; empty for asks. */
    funding: z.array(
      z.strictObject({
        outpoint: OutpointText,
        output: OutputEvidence,
        signature: SignatureStatus,
      }),
    ),
    signatures: z.array(SignatureEvidence),
  }),
])
export type NodeEvidence = z.infer<typeof NodeEvidence>

export const InscriptionAt = z.strictObject({
  id: InscriptionId,
  number: z.int(),
  /** The sat's offset within the output. */
  offset: AtomicSats,
})
export type InscriptionAt = z.infer<typeof InscriptionAt>

export const RuneBalance = z.strictObject({ name: z.string(), amount: z.string() })
export type RuneBalance = z.infer<typeof RuneBalance>

/** An index's answer for one output, read at block `at` of the node's own chain. */
export const IndexAnswer = z.strictObject({
  status: z.literal('ready'),
  at: z.strictObject({ ...BlockRef.shape, version: z.string() }),
  /** False: not yet examined, so an empty list means unknown. */
  indexed: z.boolean(),
  /** Null: too many to look up. */
  inscriptions: z.array(InscriptionAt).nullable(),
  /** Null: this index does not follow runes. */
  runes: z.array(RuneBalance).nullable(),
})

/** What the index says of one output, or why it gave no answer. */
export const IndexEvidence = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('unavailable'), reason: IndexTrouble }),
  IndexAnswer,
])
export type IndexEvidence = z.infer<typeof IndexEvidence>

/** The last watermark that the partition had consumed when a question was asked. */
export const WatermarkRef = z.strictObject({
  epoch: z.int().nonnegative(),
  n: z.int().nonnegative(),
})
export type WatermarkRef = z.infer<typeof WatermarkRef>

export const Evidence = z.strictObject({
  begunAt: WatermarkRef.nullable(),
  /** The mempool sequence of that watermark: the mempool anchor of the verdict. */
  mempoolSequence: z.int().nullable(),
  askedAt: Timestamp,
  answeredAt: Timestamp,
  node: NodeEvidence,
  index: IndexEvidence,
})
export type Evidence = z.infer<typeof Evidence>
/** The watermark after which something was asked. */
export type Begun = Pick<Evidence, 'begunAt' | 'mempoolSequence'>
