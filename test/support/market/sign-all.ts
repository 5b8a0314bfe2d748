import { Transaction } from '@scure/btc-signer'
import type { Wallet } from '../chain/keys.ts'

/**
 * The transaction of a PSBT whose inputs all belong to one wallet, signed by another library; hex.
 */
export function signedHex(psbt: string, wallet: Wallet): string {
  const half = Transaction.fromPSBT(Buffer.from(psbt, 'base64'), { disableScriptCheck: true })
  for (let at = 0; at < half.inputsLength; at += 1) {
    half.updateInput(at, wallet.fields, true)
    for (const secret of wallet.secrets) half.signIdx(secret, at)
    half.finalizeIdx(at)
  }
  return half.hex
}
