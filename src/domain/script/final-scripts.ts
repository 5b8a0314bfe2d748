import { script as bitcoinScript, crypto } from 'bitcoinjs-lib'
import { tapleafHash } from 'bitcoinjs-lib/src/payments/bip341'
import type { PsbtInput } from '../psbt/input-signatures.ts'
import { readWitness } from '../psbt/witness.ts'
import {
  bytesOf,
  hexOf,
  nestedProgram,
  P2SH,
  P2TR,
  P2WPKH,
  P2WSH,
  readMultisig,
} from './script-template.ts'

/** The scripts with which an input spends its prevout. */
export interface FinalScripts {
  scriptSig: Uint8Array
  witness: Uint8Array[]
}

const EMPTY = new Uint8Array()
/** OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_CHECKSIGADD. */
const CHECKS_SIGNATURE = new Set<unknown>([0xac, 0xad, 0xba])

/**
 * The final scripts of a signed input, for the prevout that the node names: those it has, or those
 * built from its partial signatures (BIP174's finaliser). Null if its fields do not suffice. A
 * script that matches no template gets its signatures in the order of its keys, as `<key> CHECKSIG`
 * and its compounds expect; whether that is right is for the node to judge.
 */
export function finalScriptsOf(input: PsbtInput, prevoutScriptHex: string): FinalScripts | null {
  const { finalScriptWitness, finalScriptSig } = input
  if (finalScriptWitness || finalScriptSig) {
    const witness = finalScriptWitness ? readWitness(finalScriptWitness)?.items : []
    return { scriptSig: finalScriptSig ?? EMPTY, witness: witness ?? [] }
  }
  const isNested = P2SH.test(prevoutScriptHex)
  const program = isNested ? redeemedProgram(input) : prevoutScriptHex
  const witness = program === null ? null : witnessOf(input, program)
  if (program === null || witness === null) return null
  const push = isNested ? bytesOf(program) : EMPTY
  return { scriptSig: isNested ? Uint8Array.of(push.length, ...push) : EMPTY, witness }
}

/** The redeem script field may be omitted if the key alone determines it (P2SH-P2WPKH). */
function redeemedProgram({ redeemScript, partialSig }: PsbtInput): string | null {
  if (redeemScript) return nestedProgram(Uint8Array.of(redeemScript.length, ...redeemScript))
  const [signed] = partialSig ?? []
  return signed ? `0014${hexOf(crypto.hash160(signed.pubkey))}` : null
}

function witnessOf(input: PsbtInput, program: string): Uint8Array[] | null {
  if (P2TR.test(program)) return input.tapKeySig ? [input.tapKeySig] : scriptPath(input)
  const [, keyHash] = P2WPKH.exec(program) ?? []
  if (keyHash !== undefined) {
    const signatures = input.partialSig ?? []
    const own = signatures.find(({ pubkey }) => hexOf(crypto.hash160(pubkey)) === keyHash)
    // A signature by another key is used too: it fails the check, and so gets the right reason.
    const signed = own ?? signatures[0]
    return signed ? [signed.signature, signed.pubkey] : null
  }
  return P2WSH.test(program) ? scriptHash(input) : null
}

function scriptHash({ witnessScript, partialSig }: PsbtInput): Uint8Array[] | null {
  if (!witnessScript || !partialSig) return null
  const byKey = new Map(partialSig.map(({ pubkey, signature }) => [hexOf(pubkey), signature]))
  const multisig = readMultisig(witnessScript)
  if (multisig) {
    const signatures = multisig.keys.flatMap((key) => byKey.get(hexOf(key)) ?? [])
    return [EMPTY, ...signatures.slice(0, multisig.required), witnessScript]
  }
  const stack = inKeyOrder(witnessScript, byKey)
  return stack && [...stack, witnessScript]
}

function scriptPath({ tapLeafScript, tapScriptSig }: PsbtInput): Uint8Array[] | null {
  for (const { controlBlock, leafVersion, script } of tapLeafScript ?? []) {
    const leafHash = hexOf(tapleafHash({ output: script, version: leafVersion }))
    const signed = (tapScriptSig ?? []).filter((entry) => hexOf(entry.leafHash) === leafHash)
    const byKey = new Map(signed.map(({ pubkey, signature }) => [hexOf(pubkey), signature]))
    const stack = inKeyOrder(script, byKey)
    if (stack) return [...stack, script, controlBlock]
  }
  return null
}

/** The first key's signature is taken from the top of the stack, so it comes last. */
function inKeyOrder(
  script: Uint8Array,
  byKey: ReadonlyMap<string, Uint8Array>,
): Uint8Array[] | null {
  const signatures = keysIn(script).map((key) => byKey.get(hexOf(key)) ?? EMPTY)
  return signatures.some(({ length }) => length > 0) ? signatures.toReversed() : null
}

/** The keys whose signatures a script checks, in script order. */
export function keysIn(script: Uint8Array): Uint8Array[] {
  const chunks = bitcoinScript.decompile(script) ?? []
  return chunks.filter(
    (chunk, at): chunk is Uint8Array =>
      typeof chunk !== 'number' && CHECKS_SIGNATURE.has(chunks[at + 1]),
  )
}
