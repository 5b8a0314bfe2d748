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
  txid: Txid.describe('the transaction that spends the output'),
  inputIndex: z.int().nonnegative().describe('index of the input that spends it, from 0'),
  unsignedTxid: Txid.describe('txid of the spender without scriptSigs: what a bid commits to'),
  pairedOutput: TxOut.nullable().describe(
    'output of the spender at the index of the spending input; null: there is none',
  ),
  block: z
    .strictObject({
      ...BlockRef.shape,
      time: z.int().describe('time of the block’s header, Unix seconds'),
    })
    .nullable()
    .describe('block of the spender; null: it is in the mempool'),
})
export type Spend = z.infer<typeof Spend>

/** What the node says of one output. */
export const OutputEvidence = z.discriminatedUnion('status', [
  z.strictObject({
    status: z
      .literal('unspent')
      .describe('`unspent`, `spent`, or `missing`: the node does not know the output'),
    output: TxOut.describe('value and script of the output; null: the node cannot tell'),
    coinbase: z.boolean().describe('whether a coinbase transaction made it'),
    block: BlockRef.nullable().describe(
      'block that made it; null: in the mempool, or the node cannot tell',
    ),
    priorMedianTime: z
      .int()
      .nullable()
      .describe(
        'median time past of the block before `block`, Unix seconds; for time locks of BIP 68',
      ),
  }),
  /** Spent; `by` is null if this node has no means to name the spender. */
  z.strictObject({
    status: z
      .literal('spent')
      .describe('`unspent`, `spent`, or `missing`: the node does not know the output'),
    confirmed: z.boolean().describe('whether the spender is in a block'),
    output: TxOut.nullable().describe('value and script of the output; null: the node cannot tell'),
    block: BlockRef.nullable().describe(
      'block that made it; null: in the mempool, or the node cannot tell',
    ),
    by: Spend.nullable().describe('the spender; null: the node cannot name it'),
  }),
  z.strictObject({
    status: z
      .literal('missing')
      .describe('`unspent`, `spent`, or `missing`: the node does not know the output'),
  }),
])
export type OutputEvidence = z.infer<typeof OutputEvidence>

/**
 * The judgement of one wrapper against the node's prevouts: an ask's signature, or the signatures
 * of all of a bid's own inputs.
 */
export const SignatureEvidence = z.strictObject({
  digest: Hash.describe('SHA-256 of the decoded PSBT that carried it'),
  status: SignatureStatus.describe('what the check of the signatures found'),
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
    .nullable()
    .describe('code of why; null: valid'),
  by: z.enum(['local', 'node', 'none']).describe('who checked: this service, the node, or neither'),
})
export type SignatureEvidence = z.infer<typeof SignatureEvidence>

export const NodeEvidence = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('unavailable').describe('`ready`: it answered; `unavailable`: it did not'),
    reason: NodeTrouble.describe('code of why it gave no answer'),
  }),
  z.strictObject({
    status: z.literal('ready').describe('`ready`: it answered; `unavailable`: it did not'),
    tip: z
      .strictObject({
        ...BlockRef.shape,
        medianTime: z.int().describe('median time past of the tip, Unix seconds'),
      })
      .describe('tip of the node when it answered'),
    coreVersion: z
      .int()
      .exactOptional()
      .describe('version of Bitcoin Core, as a number: what it relays depends on it'),
    output: OutputEvidence.describe('the offered output'),
    funding: z
      .array(
        z.strictObject({
          outpoint: OutpointText.describe('the output that the bid pays with'),
          output: OutputEvidence.describe('what the node says of it'),
          signature: SignatureStatus.describe('what the check of its signature found'),
        }),
      )
      .describe('the own inputs of a bid, in input order; empty for asks'),
    signatures: z.array(SignatureEvidence).describe('what was found of each wrapper’s signatures'),
  }),
])
export type NodeEvidence = z.infer<typeof NodeEvidence>
export type ReadyNode = Extract<NodeEvidence, { status: 'ready' }>

export const InscriptionAt = z.strictObject({
  id: InscriptionId.describe('inscription id'),
  number: z.int().describe('number of the inscription, by the index'),
  offset: AtomicSats.describe('offset of its sat in the output, sats'),
})
export type InscriptionAt = z.infer<typeof InscriptionAt>

export const RuneBalance = z.strictObject({
  name: z.string().describe('name of the rune'),
  amount: z.string().describe('amount of the rune in its smallest unit, decimal digits'),
})
export type RuneBalance = z.infer<typeof RuneBalance>

/** An index's answer for one output, read at block `at` of the node's own chain. */
export const IndexAnswer = z.strictObject({
  status: z.literal('ready').describe('`ready`: it answered'),
  at: z
    .strictObject({ ...BlockRef.shape, version: z.string().describe('version of the index') })
    .describe('block at which the index read its answer'),
  indexed: z
    .boolean()
    .describe('whether the index has examined the output; false: empty lists mean unknown'),
  inscriptions: z
    .array(InscriptionAt)
    .nullable()
    .describe('inscriptions in the output; null: too many to look up'),
  runes: z
    .array(RuneBalance)
    .nullable()
    .describe('runes in the output; null: this index does not follow runes'),
})

/** What the index says of one output, or why it gave no answer. */
export const IndexEvidence = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('unavailable').describe('`unavailable`: it gave no usable answer'),
    reason: IndexTrouble.describe('code of why it gave no answer'),
  }),
  IndexAnswer,
])
export type IndexEvidence = z.infer<typeof IndexEvidence>

/** The last watermark that the partition had consumed when a question was asked. */
export const WatermarkRef = z.strictObject({
  epoch: z.int().nonnegative().describe('run of the ingest that wrote the watermark'),
  n: z.int().nonnegative().describe('number of the watermark in that run'),
})
export type WatermarkRef = z.infer<typeof WatermarkRef>

export const Evidence = z.strictObject({
  begunAt: WatermarkRef.nullable().describe(
    'the last watermark when the question was asked; null: none',
  ),
  mempoolSequence: z
    .int()
    .nullable()
    .describe('mempool sequence of that watermark; null: not known'),
  askedAt: Timestamp.describe('when node and index were asked'),
  answeredAt: Timestamp.describe('when both had answered'),
  node: NodeEvidence.describe('what the full node said'),
  index: IndexEvidence.describe('what the asset index said'),
})
export type Evidence = z.infer<typeof Evidence>
/** The watermark after which something was asked. */
export type Begun = Pick<Evidence, 'begunAt' | 'mempoolSequence'>
