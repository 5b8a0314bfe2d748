import type { Psbt, Transaction } from 'bitcoinjs-lib'
import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { Outpoint, OutpointText, TxOut } from '../../schemas/scalars.ts'
import { bareTransaction, openTransaction, withoutWitnesses } from '../chain/bare-transaction.ts'
import { displayTxid, hashTransaction } from '../chain/hash256.ts'
import { outpointText, parseOutpoint } from '../chain/outpoint.ts'
import { hexOf } from '../script/script-template.ts'

/**
 * The offered output, by the transaction that made it, whose hash its outpoint has; null: the bundle
 * does not have that transaction.
 */
export const provedOutput = ({ proofs, order }: DisputeBundle): TxOut | null =>
  proofs.output ? outputIn(proofs.output.transaction, parseOutpoint(order.outpoint)) : null

export interface ProvedPrevout {
  outpoint: OutpointText
  /** Null: the bundle does not prove what it holds. */
  output: TxOut | null
}

/**
 * What the inputs of an artifact spend, by input index: as the proof of the offered output says, or
 * a previous transaction in the PSBT (PSBT_IN_NON_WITNESS_UTXO), which has the txid that is spent.
 */
export function provedPrevouts(
  bundle: DisputeBundle,
  { psbt, unsigned }: { psbt: Psbt; unsigned: Transaction },
): ProvedPrevout[] {
  return unsigned.ins.map(({ hash, index }, at) => {
    const spent = { txid: displayTxid(hash), vout: index }
    const outpoint = outpointText(spent)
    const previous = psbt.data.inputs[at]?.nonWitnessUtxo
    const offered = outpoint === bundle.order.outpoint ? provedOutput(bundle) : null
    return { outpoint, output: offered ?? (previous ? outputIn(hexOf(previous), spent) : null) }
  })
}

/** The output, if these bytes are the transaction that made it; null: they are not, or it has none. */
function outputIn(hex: string, { txid, vout }: Outpoint): TxOut | null {
  try {
    if (hashTransaction(withoutWitnesses(hex)) !== txid) return null
    const transaction = openTransaction(bareTransaction({ txid, hex }))
    return vout < transaction.outputs ? transaction.output(vout) : null
  } catch {
    return null
  }
}
