import { script as bitcoinScript, type Psbt } from 'bitcoinjs-lib'
import type { FinalScripts } from '../script/final-scripts.ts'
import { ecdsaSignature, type Signature, taprootSignature } from '../script/sighash.ts'
import { type FinalWitness, readWitness, witnessForm } from './witness.ts'

export type PsbtInput = Psbt['data']['inputs'][number]

/** What the signatures of one input state; whether they verify is not checked here. */
export interface InputSignatures {
  /** Is any signature field set? */
  isSigned: boolean
  /** False if a signature field holds something that cannot be read as a signature. */
  isReadable: boolean
  /** The sighash of every signature (BIP143, BIP341), from its own bytes and never from field 03. */
  sighashes: number[]
}

const UNSIGNED: InputSignatures = { isSigned: false, isReadable: true, sighashes: [] }

/** A finalised input is read from its witness and scriptSig; its other fields are ignored. */
export function signaturesOf(input: PsbtInput): InputSignatures {
  const { finalScriptWitness, finalScriptSig, partialSig, tapKeySig, tapScriptSig } = input
  if (finalScriptWitness) return witnessSignatures(readWitness(finalScriptWitness))
  if (finalScriptSig) return scriptSigSignatures(finalScriptSig)
  const signatures = [
    ...(partialSig ?? []).map(({ signature }) => ecdsaSignature(signature)),
    ...(tapKeySig ? [taprootSignature(tapKeySig)] : []),
    ...(tapScriptSig ?? []).map(({ signature }) => taprootSignature(signature)),
  ]
  return signatures.length === 0 ? UNSIGNED : summarised(signatures)
}

/** The sighash of every signature of a final input. */
export function finalSighashes({ witness, scriptSig }: FinalScripts): number[] {
  const isSegwit = witness.length > 0
  const found = isSegwit ? witnessSignatures(witnessForm(witness)) : scriptSigSignatures(scriptSig)
  return found.sighashes
}

// The witness form alone reveals the kind of script, so a false utxo changes nothing.
function witnessSignatures(witness: FinalWitness | null): InputSignatures {
  if (!witness) return summarised([null])
  switch (witness.kind) {
    case 'key-path':
      return summarised([taprootSignature(witness.signature)])
    case 'script-path':
      return summarised(witness.stack.map(taprootSignature).filter(isFound))
    case 'witness-v0':
      return summarised(witness.stack.map(ecdsaSignature).filter(isFound))
  }
}

function scriptSigSignatures(scriptSig: Uint8Array): InputSignatures {
  const chunks = bitcoinScript.decompile(scriptSig) ?? []
  const pushes = chunks.filter((chunk) => typeof chunk !== 'number')
  return summarised(pushes.map(ecdsaSignature).filter(isFound))
}

const isFound = (signature: Signature | null): signature is Signature => signature !== null

function summarised(signatures: readonly (Signature | null)[]): InputSignatures {
  const found = signatures.filter(isFound)
  return {
    isSigned: true,
    isReadable: found.length > 0 && found.length === signatures.length,
    sighashes: found.map(({ sighash }) => sighash),
  }
}
