import { witnessForm } from '../../psbt/witness.ts'
import type { Ecc } from '../ecc.ts'
import type { FinalScripts } from '../final-scripts.ts'
import type { ScriptVerdict, SignedInput } from '../script-check.ts'
import type { Instruction } from '../script-instructions.ts'
import { bytesOf, P2TR } from '../script-template.ts'
import { commitsToLeaf, leafHashOf } from '../tapscript.ts'
import { cheapestRun } from './cheapest-run.ts'
import { machineFor } from './material.ts'
import { verifiedBy } from './signature-test.ts'
import { leafOverhead } from './spend-ways.ts'

const MOST_WORK = 20_000
const OP_CODESEPARATOR = 0xab

/** Does the tapscript of this witness run to true, by all prevouts? `unsupported`: not known here. */
export function runTapscript(
  signed: SignedInput,
  { witness }: FinalScripts,
  ecc: Ecc,
): ScriptVerdict {
  const { transaction, inputIndex, prevouts } = signed
  const { version, locktime, ins } = transaction
  const [, outputKey] = P2TR.exec(prevouts[inputIndex]?.scriptHex ?? '') ?? []
  const form = witnessForm([...witness])
  if (outputKey === undefined || form?.kind !== 'script-path') return 'unsupported'
  if (ins.some((_, at) => !prevouts[at])) return 'unsupported'
  const { script, control, stack } = form
  const leafHash = leafHashOf(script)
  if (!commitsToLeaf(bytesOf(outputKey), leafHash, control, ecc)) return 'invalid'
  const overhead = leafOverhead(script, control)
  const scriptsFor = (items: Uint8Array[]) => ({ scriptSig: new Uint8Array(), witness: items })
  const machine = machineFor({
    way: { version: 'tapscript', script, leafHash, signatures: [], overhead, scriptsFor },
    input: {},
    map: [],
    transaction: { version, locktime, sequence: ins[inputIndex]?.sequence ?? 0 },
    isUsed: () => true,
    test: verifiedBy(signed, ecc),
    budget: { work: MOST_WORK },
  })
  if (!machine || machine.instructions.some(separates)) return 'unsupported'
  return VERDICTS[cheapestRun({ ...machine, isOpen: false }, stack).status]
}

/** What is signed behind an OP_CODESEPARATOR is not known here. */
const separates = (instruction: Instruction): boolean =>
  'opcode' in instruction && instruction.opcode === OP_CODESEPARATOR

const VERDICTS = { found: 'valid', none: 'invalid', 'beyond-bound': 'unsupported' } as const
