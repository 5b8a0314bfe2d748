import { Transaction } from '@scure/btc-signer'
import type { Wallet } from '../chain/keys.ts'
import { bytesOf } from '../chain/wallet.ts'
import type { MadeBid } from '../orders/psbt-orders.ts'

// A seller who takes a bid, written independently of the service, as the buyer is.

const ANY_CONTENT = {
  allowUnknown: true,
  allowUnknownVersion: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
}

/** The final transaction, hex: the seller signs, for all of it, the only unsigned input. */
export function acceptBid({ psbt, prevout, sellerIndex }: MadeBid, seller: Wallet): string {
  const tx = Transaction.fromPSBT(Buffer.from(psbt, 'base64'), ANY_CONTENT)
  const witnessUtxo = { script: bytesOf(prevout.scriptHex), amount: BigInt(prevout.valueSats) }
  tx.updateInput(sellerIndex, { witnessUtxo, ...seller.fields }, true)
  for (const secret of seller.secrets) tx.signIdx(secret, sellerIndex)
  for (let at = 0; at < tx.inputsLength; at += 1) {
    const { finalScriptSig, finalScriptWitness } = tx.getInput(at)
    if (!finalScriptSig && !finalScriptWitness) tx.finalizeIdx(at)
  }
  return tx.hex
}
