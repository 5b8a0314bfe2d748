import type { FinalScripts } from './final-scripts.ts'
import { type Instruction, instructionsOf, numberPushed } from './script-instructions.ts'
import { bytesOf, nestedProgram, P2SH, P2WPKH, P2WSH } from './script-template.ts'

const OP = { checkSig: 0xac, checkMultisig: 0xae } as const
const MAX_MULTISIG_KEYS = 20

/** Core `GetSigOpCount`: OP_CHECKMULTISIG counts the keys of the number before it, else 20. */
export const sigopsIn = (script: readonly Instruction[]): number => countIn(script, keysAt)

/** Core `GetLegacySigOpCount` of an output, which counts 20 for every OP_CHECKMULTISIG. */
export const sigopsOfOutput = (scriptHex: string): number =>
  countIn(instructionsOf(bytesOf(scriptHex)) ?? [], () => null)

/** Core `CountWitnessSigOps`: taproot has none. */
export function sigopsOfWitness(prevoutHex: string, { scriptSig, witness }: FinalScripts): number {
  const program = nestedProgram(scriptSig) ?? prevoutHex
  if (P2WPKH.test(program)) return 1
  const script = P2WSH.test(program) ? witness.at(-1) : undefined
  return script ? sigopsIn(instructionsOf(script) ?? []) : 0
}

/** Core `GetP2SHSigOpCount`: of the script that the scriptSig of a P2SH input pushes last. */
export function sigopsOfRedeemed(prevoutHex: string, scriptSig: Uint8Array): number {
  const redeem = P2SH.test(prevoutHex) ? instructionsOf(scriptSig)?.at(-1) : undefined
  return redeem && 'push' in redeem ? sigopsIn(instructionsOf(redeem.push) ?? []) : 0
}

function countIn(
  script: readonly Instruction[],
  keysOf: (before: Instruction | undefined) => number | null,
): number {
  let sigops = 0
  for (const [at, instruction] of script.entries()) {
    if ('push' in instruction) continue
    // The opcode, and its verifying form behind it.
    const { opcode } = instruction
    if (opcode === OP.checkSig || opcode === OP.checkSig + 1) sigops += 1
    if (opcode === OP.checkMultisig || opcode === OP.checkMultisig + 1) {
      sigops += keysOf(script[at - 1]) ?? MAX_MULTISIG_KEYS
    }
  }
  return sigops
}

function keysAt(instruction: Instruction | undefined): number | null {
  if (!instruction || 'push' in instruction) return null
  const number = numberPushed(instruction.opcode)
  return number !== null && number <= 16 ? number : null
}
