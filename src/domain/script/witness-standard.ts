import { isWitnessProgram } from './relay.ts'
import { instructionsOf } from './script-instructions.ts'
import { hexOf, P2SH, P2TR, P2WSH } from './script-template.ts'

/** Bytes of an item of a P2WSH or tapscript stack, below the script (Core policy.h). */
export const MAX_WITNESS_ITEM_BYTES = 80
const MAX_P2WSH_SCRIPT_BYTES = 3_600
const MAX_P2WSH_ITEMS = 100
const TAPSCRIPT_LEAF = 0xc0
const LEAF_MASK = 0xfe
const ANNEX_TAG = 0x50
/** Pay to anchor is spent without a witness. */
const P2A = '51024e73'

/**
 * Do nodes relay a spend with this witness, which has at least one item (Core `IsWitnessStandard`)?
 * `analyzepsbt` does not check it.
 */
export function isStandardWitness(
  witness: readonly Uint8Array[],
  prevoutHex: string,
  scriptSig: Uint8Array,
): boolean {
  const isNested = P2SH.test(prevoutHex)
  const program = isNested ? redeemScript(scriptSig) : prevoutHex
  if (program === P2A || !isWitnessProgram(program)) return false
  if (P2WSH.test(program)) {
    const items = witness.slice(0, -1)
    return (
      (witness.at(-1)?.length ?? 0) <= MAX_P2WSH_SCRIPT_BYTES &&
      items.length <= MAX_P2WSH_ITEMS &&
      items.every(isShort)
    )
  }
  const control = witness.at(-1)
  if (isNested || !P2TR.test(program) || witness.length < 2 || !control) return true
  if (control[0] === ANNEX_TAG || control.length === 0) return false
  const isTapscript = ((control[0] ?? 0) & LEAF_MASK) === TAPSCRIPT_LEAF
  return !isTapscript || witness.slice(0, -2).every(isShort)
}

const isShort = ({ length }: Uint8Array): boolean => length <= MAX_WITNESS_ITEM_BYTES

/** The last push of a P2SH input's scriptSig. */
function redeemScript(scriptSig: Uint8Array): string {
  const last = instructionsOf(scriptSig)?.at(-1)
  return last && 'push' in last ? hexOf(last.push) : ''
}
