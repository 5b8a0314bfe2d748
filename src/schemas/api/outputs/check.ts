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
    .meta({ uniqueItems: true }),
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
  code: OutputTroubleCode,
  message: z.string(),
  /** The transaction, inscription, rune, order or reason that it is about. */
  subject: z.string().exactOptional(),
})
export type OutputTrouble = z.infer<typeof OutputTrouble>

export const CheckedOutput = z.strictObject({
  outpoint: Outpoint,
  /** Node and index know it, unspent, confirmed and empty, and no open order here spends it. */
  safe: z.boolean(),
  output: TxOut.nullable(),
  /** The height of its block. */
  height: z.int().nonnegative().nullable(),
  troubles: z.array(OutputTrouble),
})
export type CheckedOutput = z.infer<typeof CheckedOutput>

export const OutputsChecked = z.strictObject({
  network: Network,
  /** In the order asked. */
  outputs: z.array(CheckedOutput),
  nodeTip: BlockRef,
  /** The index's own tip; null if it gave no usable answer. */
  indexTip: BlockRef.nullable(),
  observedAt: Timestamp,
  notices: z.array(Notice),
})
export type OutputsChecked = z.infer<typeof OutputsChecked>
