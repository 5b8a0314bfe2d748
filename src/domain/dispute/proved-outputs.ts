import type { Psbt, Transaction } from 'bitcoinjs-lib'
import { Transaction as BitcoinTransaction } from 'bitcoinjs-lib'
import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { OutpointText, TxOut } from '../../schemas/scalars.ts'
import { bareTransaction, openTransaction, withoutWitnesses } from '../chain/bare-transaction.ts'
import { displayTxid, hashTransaction, transactionId } from '../chain/hash256.ts'
import { outpointText, parseOutpoint } from '../chain/outpoint.ts'
import { hexOf } from '../script/script-template.ts'

/**
 * The offered output, by the transaction that made it, whose hash its outpoint has; null: the bundle
 * does not have that transaction.
 */
export function provedOutput({ proofs, order }: DisputeBundle): TxOut | null {
  const { txid, vout } = parseOutpoint(order.outpoint)
  const hex = proofs.output?.transaction
  return hex === undefined
    ? null
    : tried(() => {
        if (hashTransaction(withoutWitnesses(hex)) !== txid) return null
        const transaction = openTransaction(bareTransaction({ txid, hex }))
        return vout < transaction.outputs ? transaction.output(vout) : null
      })
}

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
    const txid = displayTxid(hash)
    const outpoint = outpointText({ txid, vout: index })
    const previous = psbt.data.inputs[at]?.nonWitnessUtxo
    const offered = outpoint === bundle.order.outpoint ? provedOutput(bundle) : null
    return { outpoint, output: offered ?? (previous ? outputOf(previous, txid, index) : null) }
  })
}

const outputOf = (previous: Uint8Array, txid: string, vout: number): TxOut | null =>
  tried(() => {
    const transaction = BitcoinTransaction.fromBuffer(previous)
    const output = transactionId(transaction) === txid ? transaction.outs[vout] : undefined
    return output ? { valueSats: output.value.toString(), scriptHex: hexOf(output.script) } : null
  })

/** Null for bytes that are no transaction. */
function tried<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
