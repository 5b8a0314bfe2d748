import type { Transaction } from 'bitcoinjs-lib'
import { type FinalWitness, witnessForm } from '../psbt/witness.ts'
import { type Ecc, verifiesSchnorr } from '../script/ecc.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { type ScriptVerdict, type SignedInput, taprootDigest } from '../script/script-check.ts'
import type { Instruction } from '../script/script-instructions.ts'
import { bytesOf, nestedProgram, P2TR, P2WSH } from '../script/script-template.ts'
import { commitsToLeaf, leafHashOf } from '../script/tapscript.ts'
import { cheapestRun, endsUnsigned } from './cheapest-run.ts'
import { machineFor, type SignatureTest } from './material.ts'
import type { Machine } from './run.ts'
import { EMPTY } from './script-value.ts'
import { verifiedBy } from './signature-test.ts'
import { leafOverhead, type SpendWay } from './spend-ways.ts'

const MAX_WORK = 20_000
const OP_CODESEPARATOR = 0xab

type ScriptPath = Extract<FinalWitness, { kind: 'script-path' }>

/** Does the tapscript of this witness run to true, by all prevouts? `unsupported`: not known here. */
export const runTapscript = (
  signed: SignedInput,
  { witness }: FinalScripts,
  ecc: Ecc,
): ScriptVerdict =>
  signed.transaction.ins.some((_, at) => !signed.prevouts[at])
    ? 'unsupported'
    : runLeaf(signed, witness, ecc, verifiedBy(signed, ecc))

/** Runs the tapscript as if each of its signatures had this sighash. */
export const runTapscriptAs = (
  sighash: number,
  signed: SignedInput,
  { witness }: FinalScripts,
  ecc: Ecc,
): ScriptVerdict =>
  runLeaf(signed, witness, ecc, ({ leafHash }, { read, key }) => {
    const digest = leafHash && taprootDigest(signed, sighash, leafHash)
    return digest instanceof Uint8Array && verifiesSchnorr(ecc, digest, key, read.compact)
  })

function runLeaf(
  { transaction, inputIndex, prevouts }: SignedInput,
  witness: readonly Uint8Array[],
  ecc: Ecc,
  test: SignatureTest,
): ScriptVerdict {
  const [, outputKey] = P2TR.exec(prevouts[inputIndex]?.scriptHex ?? '') ?? []
  const form = witnessForm([...witness])
  if (outputKey === undefined || form?.kind !== 'script-path') return 'unsupported'
  const leafHash = leafHashOf(form.script)
  if (!commitsToLeaf(bytesOf(outputKey), leafHash, form.control, ecc)) return 'invalid'
  const machine = machineOf(form, transaction, inputIndex, test)
  if (!machine || machine.instructions.some(separates)) return 'unsupported'
  return VERDICTS[cheapestRun(machine, form.stack).status]
}

/**
 * The sighashes of the signatures that a final tapscript checks, if each of them were valid; null if
 * it does not run to true even so.
 */
export function checkedSighashes(
  form: ScriptPath,
  unsigned: Transaction,
  inputIndex: number,
): number[] | null {
  const checked: number[] = []
  const machine = machineOf(form, unsigned, inputIndex, (_way, { read }) => {
    checked.push(read.sighash)
    return true
  })
  return machine && cheapestRun(machine, form.stack).status === 'found' ? checked : null
}

/**
 * Does the P2WSH script or tapscript of these final scripts run to true by their items without a check
 * of a signature? False also where this is not known.
 */
export function isUnsigned(
  { transaction, inputIndex, prevouts }: SignedInput,
  { scriptSig, witness }: FinalScripts,
): boolean {
  const program = nestedProgram(scriptSig) ?? prevouts[inputIndex]?.scriptHex ?? ''
  const form = witnessForm([...witness])
  const found = () => true
  if (P2TR.test(program)) {
    if (form?.kind !== 'script-path') return false
    const machine = machineOf(form, transaction, inputIndex, found)
    return machine !== null && endsUnsigned(machine, form.stack) === true
  }
  const script = P2WSH.test(program) ? witness.at(-1) : undefined
  if (!script) return false
  const way = { ...FINAL, version: 'witness-v0', script, leafHash: null, overhead: 0 } as const
  const machine = closedMachine(way, transaction, inputIndex, found)
  return machine !== null && endsUnsigned(machine, witness.slice(0, -1)) === true
}

/** The machine that runs the leaf with the items of its witness, and no others. */
function machineOf(
  { script, control }: ScriptPath,
  transaction: Transaction,
  inputIndex: number,
  test: SignatureTest,
): Machine | null {
  const leafHash = leafHashOf(script)
  const overhead = leafOverhead(script, control)
  const way = { ...FINAL, version: 'tapscript', script, leafHash, overhead } as const
  return closedMachine(way, transaction, inputIndex, test)
}

const FINAL: Pick<SpendWay, 'signatures' | 'scriptsFor'> = {
  signatures: [],
  scriptsFor: (witness) => ({ scriptSig: EMPTY, witness }),
}

function closedMachine(
  way: SpendWay,
  { version, locktime, ins }: Transaction,
  inputIndex: number,
  test: SignatureTest,
): Machine | null {
  const machine = machineFor({
    way,
    input: {},
    map: [],
    transaction: { version, locktime, sequence: ins[inputIndex]?.sequence ?? 0 },
    isUsed: () => true,
    test,
    budget: { work: MAX_WORK },
  })
  return machine && { ...machine, isOpen: false }
}

/** What is signed behind an OP_CODESEPARATOR is not known here. */
const separates = (instruction: Instruction): boolean =>
  'opcode' in instruction && instruction.opcode === OP_CODESEPARATOR

const VERDICTS = { found: 'valid', none: 'invalid', 'beyond-bound': 'unsupported' } as const
