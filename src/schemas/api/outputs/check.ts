import { z } from 'zod'
import { Notice } from '../../order.ts'
import { BlockRef, Network, Outpoint, Timestamp, TxOut } from '../../scalars.ts'

/** Outputs that one check may name. */
export const MAX_CHECKED = 100

export const CheckOutputsRequest = z.strictObject({
  outpoints: z
    .array(Outpoint)
    .min(1)
    .max(MAX_CHECKED)
    .refine(
      (all) => new Set(all.map(({ txid, vout }) => `${txid}:${vout}`)).size === all.length,
      'must not name an output more than once',
    )
    // The refinement in JSON Schema, which has none.
    .meta({ uniqueItems: true })
    .describe('the outputs to check: 1 to 100, each once'),
})
export type CheckOutputsRequest = z.infer<typeof CheckOutputsRequest>

/** Every reason against an output as padding or payment. Closed: clients may switch on it. */
export const OutputTroubleCode = z.enum([
  /** A transaction of the mempool spends it. */
  'spent_in_mempool',
  /** A block spends it, or it never was: the node cannot tell. */
  'spent_or_unknown',
  'unconfirmed',
  /** An output of a coinbase transaction that has fewer than 100 confirmations. */
  'coinbase_immature',
  /** Its script does not tell how many bytes a spend has: no fee can be computed. */
  'spend_size_unknown',
  'holds_inscription',
  'holds_runes',
  /** An order here offers it: its taker may be faster. */
  'offered',
  /** An open bid here is paid with it: the seller who accepts the bid may be faster. */
  'pays_for_bid',
  /** The index has not reached its block. */
  'index_behind',
  /** The index has not examined it: it may hold anything. */
  'not_examined',
  /** There is no index, or it gives no usable answer: it may hold anything. */
  'index_unavailable',
])
export type OutputTroubleCode = z.infer<typeof OutputTroubleCode>

export const OutputTrouble = z.strictObject({
  code: OutputTroubleCode.describe('code of the reason against the output'),
  message: z.string().describe('the reason in words'),
  subject: z
    .string()
    .exactOptional()
    .describe('the transaction, inscription, rune, order or reason that it is about'),
})
export type OutputTrouble = z.infer<typeof OutputTrouble>

export const CheckedOutput = z.strictObject({
  outpoint: Outpoint.describe('the output'),
  safe: z
    .boolean()
    .describe(
      'node and index know it: unspent, confirmed and empty, and no open order here spends it',
    ),
  output: TxOut.nullable().describe(
    'value and script of the output; null: the node does not know it',
  ),
  height: z
    .int()
    .nonnegative()
    .nullable()
    .describe('height of its block; null: in the mempool, or not known'),
  troubles: z
    .array(OutputTrouble)
    .describe('every reason against paying with it; empty: it is safe'),
})
export type CheckedOutput = z.infer<typeof CheckedOutput>

export const OutputsChecked = z.strictObject({
  network: Network.describe('the Bitcoin network'),
  outputs: z.array(CheckedOutput).describe('the outputs, in the order asked'),
  nodeTip: BlockRef.describe('tip of the node when it was asked'),
  indexTip: BlockRef.nullable().describe('tip of the index; null: it gave no usable answer'),
  observedAt: Timestamp.describe('when they were checked'),
  notices: z.array(Notice).describe('what the reader should know'),
})
export type OutputsChecked = z.infer<typeof OutputsChecked>
