import {
  LEAF_VERSION_TAPSCRIPT,
  rootHashFromPath,
  tapleafHash,
  tapTweakHash,
} from 'bitcoinjs-lib/src/payments/bip341'
import type { Ecc } from './ecc.ts'

const CONTROL_BASE_BYTES = 33
const PARITY = 0x01

/** The leaf hash of a tapscript (BIP341), which its signatures commit to (BIP342). */
export const leafHashOf = (script: Uint8Array): Uint8Array =>
  tapleafHash({ output: script, version: LEAF_VERSION_TAPSCRIPT })

/** BIP341: does the output key commit to this leaf, by the path in the control block? */
export function commitsToLeaf(
  outputKey: Uint8Array,
  leafHash: Uint8Array,
  control: Uint8Array,
  ecc: Ecc,
): boolean {
  const internalKey = control.subarray(1, CONTROL_BASE_BYTES)
  if (!ecc.isXOnlyPoint(internalKey)) return false
  const tweak = tapTweakHash(internalKey, rootHashFromPath(control, leafHash))
  const tweaked = ecc.xOnlyPointAddTweak(internalKey, tweak)
  return (
    tweaked !== null &&
    tweaked.parity === ((control[0] ?? 0) & PARITY) &&
    Buffer.compare(tweaked.xOnlyPubkey, outputKey) === 0
  )
}
