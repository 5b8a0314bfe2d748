import type { Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { witnessForm } from '../psbt/witness.ts'
import { isWitnessProgram } from '../script/relay.ts'
import { instructionsOf, valuePushed } from '../script/script-instructions.ts'
import { bytesOf, nestedProgram, P2SH, P2TR } from '../script/script-template.ts'
import { ecdsaSignature, SIGHASH, taprootSignature } from '../script/sighash.ts'
import { type NodeQuestion, wholeQuestion } from '../verdict/node-question.ts'

/** The question to the node about a proof, or why it is not asked. */
export type ForNode =
  | ({ status: 'ask-node' } & NodeQuestion)
  | { status: 'invalid' | 'inconclusive'; reason: string }

const OP_CODESEPARATOR = 0xab
/** A witness program of version 2 to 16. */
const LATER_PROGRAM = /^(?:5[2-9a-f]|60)/
/** BIP68: relative lock disabled. */
const DISABLED = 0x80000000

/**
 * A proof whose script these checks do not cover is given to the node to run, as for orders. The
 * node judges `to_sign` as any transaction, so BIP-322's extra requirements are checked here: each
 * signature commits to all of it, and no lock is set that the output itself may not have passed.
 */
export function forNode(transaction: Transaction, prevout: TxOut): ForNode {
  const [input] = transaction.ins
  if (!input) return invalid('the transaction has no input')
  const spent = spentBy(prevout.scriptHex, input)
  if ('status' in spent) return spent
  if (isLocked(transaction.version, transaction.locktime, input.sequence)) {
    return inconclusive('unsupported: a lock time for a script that only a full node can judge')
  }
  if (isWitnessProgram(prevout.scriptHex) && LATER_PROGRAM.test(prevout.scriptHex)) {
    return inconclusive('unsupported: a witness version above 1, which has no rules yet')
  }
  if (separatesCode(spent.script)) {
    return invalid('the script has an OP_CODESEPARATOR, which BIP-322 forbids')
  }
  const read = P2TR.test(prevout.scriptHex) ? taprootSignature : ecdsaSignature
  const signatures = spent.stack.flatMap((item) => read(item) ?? [])
  if (signatures.length === 0) return invalid('the proof holds no signature of the message')
  const isOfAll = signatures.every(
    ({ sighash }) => sighash === SIGHASH.ALL || sighash === SIGHASH.DEFAULT,
  )
  if (!isOfAll) return invalid('every signature must be SIGHASH_ALL, or DEFAULT for taproot')
  const scripts = { witness: input.witness, scriptSig: input.script }
  return { status: 'ask-node', ...wholeQuestion(transaction, 0, scripts, [prevout]) }
}

const invalid = (reason: string): ForNode => ({ status: 'invalid', reason })
const inconclusive = (reason: string): ForNode => ({ status: 'inconclusive', reason })

type NodeInput = Transaction['ins'][number]

/** What spends an output: what its script may read as signatures, and the script that is run with it. */
interface Spent {
  stack: readonly Uint8Array[]
  script: Uint8Array | undefined
}

function spentBy(scriptHex: string, { script: scriptSig, witness }: NodeInput): Spent | ForNode {
  const isNested = P2SH.test(scriptHex) && nestedProgram(scriptSig) !== null
  if (isNested || (isWitnessProgram(scriptHex) && scriptSig.length === 0))
    return { stack: stackOf(witness), script: scriptIn(witness) }
  if (isWitnessProgram(scriptHex)) return invalid('the script is spent by a witness alone')
  if (scriptSig.length === 0) {
    const cure = 'sign a full proof'
    return inconclusive(
      `unsupported: a simple proof of a script that is spent without a witness; ${cure}`,
    )
  }
  if (witness.length > 0) return invalid('the script is spent without a witness')
  const pushed = instructionsOf(scriptSig)?.map(valuePushed) ?? [null]
  const stack = pushed.filter((item) => item !== null)
  if (stack.length < pushed.length) return invalid('the scriptSig does more than push')
  return P2SH.test(scriptHex)
    ? { stack: stack.slice(0, -1), script: stack.at(-1) }
    : { stack, script: bytesOf(scriptHex) }
}

// Under a lock of either kind the node would evaluate the script for a later time.
const isLocked = (version: number, locktime: number, sequence: number): boolean =>
  locktime !== 0 || (version >= 2 && sequence !== 0 && (sequence & DISABLED) === 0)

/** BIP-322, required rules. By the script alone, whether or not it is run so far. */
function separatesCode(script: Uint8Array | undefined): boolean {
  const instructions = script && instructionsOf(script)
  return instructions?.some((one) => 'opcode' in one && one.opcode === OP_CODESEPARATOR) ?? false
}

function scriptIn(witness: Uint8Array[]): Uint8Array | undefined {
  const form = witnessForm(witness)
  return form?.kind === 'script-path' ? form.script : witness.at(-1)
}

/** The items that a script may read as signatures: without the script and its control block. */
function stackOf(witness: Uint8Array[]): readonly Uint8Array[] {
  const form = witnessForm(witness)
  if (!form) return []
  return form.kind === 'key-path' ? [form.signature] : form.stack
}
