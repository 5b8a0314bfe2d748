import { Transaction } from '@scure/btc-signer'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import type { BuyerCoin } from '../market/buyer.ts'
import { bytesOf } from './wallet.ts'

export interface SpendSpec {
  inputs: readonly BuyerCoin[]
  outputs: readonly TxOut[]
  /** Default 2. */
  version?: number
}

const SEQUENCE = 0xfffffffd
const ANY_CONTENT = {
  allowUnknownVersion: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
}

/** A final transaction, hex, in which the owner of every coin signs for all of it. */
export function spend({ inputs, outputs, version = 2 }: SpendSpec): string {
  const tx = new Transaction({ ...ANY_CONTENT, version })
  for (const { outpoint, output, wallet } of inputs) {
    tx.addInput({
      txid: outpoint.txid,
      index: outpoint.vout,
      sequence: SEQUENCE,
      witnessUtxo: { script: bytesOf(output.scriptHex), amount: BigInt(output.valueSats) },
      ...wallet.fields,
    })
  }
  for (const { scriptHex, valueSats } of outputs)
    tx.addOutput({ script: bytesOf(scriptHex), amount: BigInt(valueSats) })
  inputs.forEach(({ wallet }, at) => {
    for (const secret of wallet.secrets) tx.signIdx(secret, at)
  })
  tx.finalize()
  return tx.hex
}
