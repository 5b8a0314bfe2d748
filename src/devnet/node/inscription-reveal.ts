import type { Transaction } from 'bitcoinjs-lib'
import {
  LEAF_VERSION_TAPSCRIPT,
  rootHashFromPath,
  tapleafHash,
  tapTweakHash,
} from 'bitcoinjs-lib/src/payments/bip341'
import * as ecc from 'tiny-secp256k1'
import { verifiesSchnorr } from '../../domain/script/ecc.ts'
import type { ScriptVerdict } from '../../domain/script/script-check.ts'
import {
  type Instruction,
  instructionsOf,
  isEmptyPush,
  numberPushed,
} from '../../domain/script/script-instructions.ts'
import { isSingle, taprootSignature } from '../../domain/script/sighash.ts'
import type { TxOut } from '../../schemas/scalars.ts'

const OP_CHECKSIG = 0xac
const OP_IF = 0x63
const OP_ENDIF = 0x68
const MAX_PUSH_BYTES = 520
const CONTROL_BASE_BYTES = 33
const CONTROL_NODE_BYTES = 32
const MAX_PATH = 128

/**
 * Judges a tapscript spend of the one form that the devnet supports: a signature for `<x-only key>
 * OP_CHECKSIG` followed by envelopes `OP_FALSE OP_IF <pushes> OP_ENDIF` (BIP341, BIP342). Every
 * other script is 'unsupported', never guessed.
 */
export function checkReveal(
  transaction: Transaction,
  inputIndex: number,
  prevouts: readonly TxOut[],
): ScriptVerdict {
  const witness = transaction.ins[inputIndex]?.witness ?? []
  const scripts = prevouts.map(({ scriptHex }) => Buffer.from(scriptHex, 'hex'))
  const program = scripts[inputIndex]
  const [signature, leafScript, control] = witness
  if (witness.length !== 3 || !signature || !leafScript || !control || !program)
    return 'unsupported'
  if (((control[0] ?? 0) & 0xfe) !== LEAF_VERSION_TAPSCRIPT) return 'unsupported'
  const publicKey = revealKey(leafScript)
  if (!publicKey) return 'unsupported'

  const leafHash = tapleafHash({ output: leafScript, version: LEAF_VERSION_TAPSCRIPT })
  if (!commits(control, leafHash, program.subarray(2))) return 'invalid'
  const signed = taprootSignature(signature)
  if (!signed || (isSingle(signed.sighash) && inputIndex >= transaction.outs.length))
    return 'invalid'
  const digest = transaction.hashForWitnessV1(
    inputIndex,
    scripts,
    prevouts.map(({ valueSats }) => BigInt(valueSats)),
    signed.sighash,
    leafHash,
  )
  const verifies = verifiesSchnorr(ecc, digest, publicKey, signed.compact)
  return verifies ? 'valid' : 'invalid'
}

/** The key of a reveal's leaf; null for any other form of script. */
function revealKey(leafScript: Uint8Array): Uint8Array | null {
  const [key, checksig, ...rest] = instructionsOf(leafScript) ?? []
  if (!key || !('push' in key) || key.push.length !== 32) return null
  if (!checksig || !('opcode' in checksig) || checksig.opcode !== OP_CHECKSIG) return null
  return rest.length > 0 && areEnvelopes(rest) ? key.push : null
}

function areEnvelopes(instructions: readonly Instruction[]): boolean {
  let inside = false
  for (let at = 0; at < instructions.length; at++) {
    const instruction = instructions[at]
    if (!instruction) return false
    if (!inside) {
      const condition = instructions[++at]
      if (!isEmptyPush(instruction) || !condition) return false
      if (!('opcode' in condition) || condition.opcode !== OP_IF) return false
      inside = true
    } else if ('push' in instruction) {
      if (instruction.push.length > MAX_PUSH_BYTES) return false
    } else if (instruction.opcode === OP_ENDIF) {
      inside = false
    } else if (numberPushed(instruction.opcode) === null) return false
  }
  return !inside
}

/** BIP341: does the output key commit to this leaf by the control block's path? */
function commits(control: Uint8Array, leafHash: Uint8Array, outputKey: Uint8Array): boolean {
  const nodes = (control.length - CONTROL_BASE_BYTES) / CONTROL_NODE_BYTES
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MAX_PATH) return false
  const internalKey = control.subarray(1, CONTROL_BASE_BYTES)
  if (!ecc.isXOnlyPoint(internalKey)) return false
  const tweak = tapTweakHash(internalKey, rootHashFromPath(control, leafHash))
  const tweaked = ecc.xOnlyPointAddTweak(internalKey, tweak)
  if (!tweaked || tweaked.parity !== ((control[0] ?? 0) & 1)) return false
  return Buffer.compare(tweaked.xOnlyPubkey, outputKey) === 0
}
