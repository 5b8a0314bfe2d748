import type { Transaction } from 'bitcoinjs-lib'
import { type FinalWitness, witnessForm } from '../psbt/witness.ts'
import { type Ecc, verifiesSchnorr } from '../script/ecc.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { type ScriptVerdict, type SignedInput, taprootDigest } from '../script/script-check.ts'
import { instructionsOf, valuePushed } from '../script/script-instructions.ts'
import { bytesOf, nestedProgram, P2SH, P2TR, P2WSH } from '../script/script-template.ts'
import { commitsToLeaf, leafHashOf } from '../script/tapscript.ts'
import { cheapestRun, endOfRun } from './cheapest-run.ts'
import { machineFor, type SignatureTest } from './material.ts'
import type { Machine } from './run.ts'
import { EMPTY } from './script-value.ts'
import { leafPlace, verifiedBy } from './signature-test.ts'
import { leafOverhead, type SpendWay } from './spend-ways.ts'

const MAX_WORK = 20_000

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
  runLeaf(signed, witness, ecc, (way, { read, key, separator }) => {
    const digest = taprootDigest(signed, sighash, leafPlace(way, separator))
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
  return machine ? VERDICTS[cheapestRun(machine, form.stack).status] : 'unsupported'
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
 * Does the P2WSH script, tapscript or redeem script of these final scripts run to true by their items
 * with a check of a signature? `unknown`: only a node can say; `beyond-bound`: it is longer than is
 * tried.
 */
export function signedness(
  { transaction, inputIndex, prevouts }: SignedInput,
  { scriptSig, witness }: FinalScripts,
): 'signed' | 'unsigned' | 'unknown' | 'beyond-bound' {
  const prevout = prevouts[inputIndex]?.scriptHex ?? ''
  const run = finalRun(nestedProgram(scriptSig) ?? prevout, { scriptSig, witness })
  if (!run) return 'unknown'
  const way = { ...FINAL, ...run.way }
  const machine = closedMachine(way, transaction, inputIndex, () => true)
  const end = machine ? endOfRun(machine, run.stack) : 'failed'
  return end === 'failed' ? 'unknown' : end
}

interface FinalRun {
  way: Pick<SpendWay, 'version' | 'script' | 'leafHash' | 'overhead'>
  stack: Uint8Array[]
}

/** Which script is run, and with which items; null: none that is followed here. */
function finalRun(program: string, { scriptSig, witness }: FinalScripts): FinalRun | null {
  if (P2TR.test(program)) {
    const form = witnessForm([...witness])
    return form?.kind === 'script-path' ? { way: leafWay(form), stack: form.stack } : null
  }
  const isRedeemed = P2SH.test(program)
  if (!isRedeemed && !P2WSH.test(program)) return null
  const items = isRedeemed ? (instructionsOf(scriptSig)?.map(valuePushed) ?? []) : witness
  const stack = items.filter((item) => item !== null)
  const script = stack.pop()
  if (!script || items.includes(null)) return null
  const version = isRedeemed ? 'base' : 'witness-v0'
  return { way: { version, script, leafHash: null, overhead: 0 }, stack }
}

const leafWay = ({ script, control }: ScriptPath): FinalRun['way'] => ({
  version: 'tapscript',
  script,
  leafHash: leafHashOf(script),
  overhead: leafOverhead(script, control),
})

/** The machine that runs the leaf with the items of its witness, and no others. */
const machineOf = (
  form: ScriptPath,
  transaction: Transaction,
  inputIndex: number,
  test: SignatureTest,
): Machine | null => closedMachine({ ...FINAL, ...leafWay(form) }, transaction, inputIndex, test)

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

const VERDICTS = { found: 'valid', none: 'invalid', 'beyond-bound': 'unsupported' } as const
