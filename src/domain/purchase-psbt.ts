import { Psbt } from 'bitcoinjs-lib'
import type { TxOut } from '../schemas/scalars.ts'
import type { FinalScripts } from './final-scripts.ts'
import { witnessBytes } from './node-question.ts'
import type { PurchaseInput } from './purchase-layout.ts'
import { isWitnessProgram } from './relay.ts'
import { bytesOf, P2SH } from './script-template.ts'

export interface PurchaseParts {
  /** nVersion, nLockTime and the seller's nSequence: 0x83 commits to them. */
  version: number
  locktime: number
  sellerSequence: number
  sellerIndex: number
  sellerScripts: FinalScripts
  inputs: readonly PurchaseInput[]
  outputs: readonly TxOut[]
  /** Hex of the transactions that made the outputs which a wallet signs for only with these, by txid. */
  previous: ReadonlyMap<string, string>
}

/** Replaceable, no lock by age (BIP125, BIP68). */
const BUYER_SEQUENCE = 0xfffffffd
const FINAL_SEQUENCE = 0xffffffff

/**
 * A locktime counts only while some sequence is not final: where the seller's is, the buyer's must
 * not be what puts it off.
 */
const buyerSequence = ({ locktime, sellerSequence }: PurchaseParts): number =>
  locktime !== 0 && sellerSequence === FINAL_SEQUENCE ? FINAL_SEQUENCE : BUYER_SEQUENCE

/** The purchase, signed by the seller and by nobody else; base64 of a version 0 PSBT. */
export function purchasePsbt(parts: PurchaseParts): string {
  const { version, locktime, sellerIndex, sellerSequence, sellerScripts, previous } = parts
  const psbt = new Psbt().setVersion(version).setLocktime(locktime)
  for (const [index, { outpoint, output }] of parts.inputs.entries()) {
    const before = previous.get(outpoint.txid)
    psbt.addInput({
      hash: outpoint.txid,
      index: outpoint.vout,
      sequence: index === sellerIndex ? sellerSequence : buyerSequence(parts),
      ...(needsPrevious(output.scriptHex) && before !== undefined
        ? { nonWitnessUtxo: bytesOf(before) }
        : { witnessUtxo: { script: bytesOf(output.scriptHex), value: BigInt(output.valueSats) } }),
    })
  }
  for (const { scriptHex, valueSats } of parts.outputs) {
    psbt.addOutput({ script: bytesOf(scriptHex), value: BigInt(valueSats) })
  }
  // Last of all: bitcoinjs lets nothing be added beside a final input whose signature may commit to it.
  const { witness, scriptSig } = sellerScripts
  psbt.updateInput(sellerIndex, {
    ...(witness.length > 0 && { finalScriptWitness: witnessBytes(witness) }),
    ...(scriptSig.length > 0 && { finalScriptSig: scriptSig }),
  })
  return psbt.toBase64()
}

/** Before BIP143 a signature did not commit to the amount: wallets ask for the whole transaction. */
export const needsPrevious = (scriptHex: string): boolean =>
  !isWitnessProgram(scriptHex) && !P2SH.test(scriptHex)
