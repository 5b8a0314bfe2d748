import { schnorr } from '@noble/curves/secp256k1.js'
import { hex } from '@scure/base'
import type { Transaction } from '@scure/btc-signer'
import { hash160 } from '@scure/btc-signer/utils.js'

export type Input = ReturnType<Transaction['getInput']>

const TAPROOT = '5120'
const P2WPKH = '0014'
const P2SH = 'a914'
const P2PKH = '76a914'
const SCHNORR_BYTES = 64
const KEY_BYTES = 33

/** What an input spends: script and value. */
export function spentBy({ witnessUtxo, nonWitnessUtxo, index }: Input) {
  const spent = witnessUtxo ?? nonWitnessUtxo?.outputs[index ?? 0]
  return { script: spent?.script ?? new Uint8Array(), amount: spent?.amount ?? 0n }
}

/**
 * Whether the key of an input's own script signed it: a wallet whose account was changed meanwhile signs with
 * another one. Taproot's signature names no key, so it is verified; the others name theirs.
 */
export function isOwnSignature(
  transaction: Transaction,
  index: number,
  { tapKeySig, partialSig, finalScriptSig, finalScriptWitness }: Input,
): boolean {
  const script = hex.encode(spentBy(transaction.getInput(index)).script)
  if (script.startsWith(TAPROOT)) {
    const signature = finalScriptWitness?.[0] ?? tapKeySig
    return signature !== undefined && isOfKey(transaction, index, signature, script.slice(4))
  }
  // A final scriptSig of P2PKH ends with its key; that of P2SH has none.
  const ofScript = script.startsWith(P2PKH) && finalScriptSig
  const keys = ofScript
    ? [finalScriptSig.slice(-KEY_BYTES)]
    : (finalScriptWitness?.slice(1) ?? (partialSig ?? []).map(([key]) => key))
  return keys.length > 0 && keys.every((key) => scriptsOf(key).includes(script))
}

function isOfKey(
  transaction: Transaction,
  at: number,
  signature: Uint8Array,
  key: string,
): boolean {
  const spent = Array.from({ length: transaction.inputsLength }, (_, index) =>
    spentBy(transaction.getInput(index)),
  )
  const digest = transaction.preimageWitnessV1(
    at,
    spent.map(({ script }) => script),
    signature[SCHNORR_BYTES] ?? 0,
    spent.map(({ amount }) => amount),
  )
  try {
    return schnorr.verify(signature.slice(0, SCHNORR_BYTES), digest, hex.decode(key))
  } catch {
    return false
  }
}

/** P2WPKH, alone and in P2SH, and P2PKH. */
function scriptsOf(key: Uint8Array): string[] {
  const hash = hex.encode(hash160(key))
  const plain = `${P2WPKH}${hash}`
  return [plain, `${P2SH}${hex.encode(hash160(hex.decode(plain)))}87`, `${P2PKH}${hash}88ac`]
}
