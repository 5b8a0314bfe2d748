import type { Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { witnessForm } from '../psbt/witness.ts'
import { isWitnessProgram } from '../script/relay.ts'
import { nestedProgram, P2SH, P2TR } from '../script/script-template.ts'
import { ecdsaSignature, SIGHASH, taprootSignature } from '../script/sighash.ts'
import { type NodeQuestion, wholeQuestion } from '../verdict/node-question.ts'

/** The question to the node about a proof, or why it is not asked. */
export type ForNode =
  | ({ status: 'ask-node' } & NodeQuestion)
  | { status: 'invalid' | 'inconclusive'; reason: string }

/** BIP68: relative lock disabled. */
const DISABLED = 0x80000000

/**
 * A proof whose script these checks do not cover is given to the node to run, as for orders. The
 * node judges `to_sign` as any transaction, so BIP-322's extra requirements are checked here: each
 * signature commits to all of it, and no lock is set that the output itself may not have passed.
 */
export function forNode(transaction: Transaction, prevout: TxOut): ForNode {
  const [input] = transaction.ins
  if (!input || !spendsByWitness(prevout, input.script)) {
    return inconclusive('unsupported: the script is spent without a witness')
  }
  if (isLocked(transaction.version, transaction.locktime, input.sequence)) {
    return inconclusive('unsupported: a lock time for a script that only a full node can judge')
  }
  const read = P2TR.test(prevout.scriptHex) ? taprootSignature : ecdsaSignature
  const signatures = stackOf(input.witness).flatMap((item) => read(item) ?? [])
  if (signatures.length === 0) return invalid('the witness holds no signature of the message')
  const isOfAll = signatures.every(
    ({ sighash }) => sighash === SIGHASH.ALL || sighash === SIGHASH.DEFAULT,
  )
  if (!isOfAll) return invalid('every signature must be SIGHASH_ALL, or DEFAULT for taproot')
  const scripts = { witness: input.witness, scriptSig: input.script }
  return { status: 'ask-node', ...wholeQuestion(transaction, 0, scripts, [prevout]) }
}

const invalid = (reason: string): ForNode => ({ status: 'invalid', reason })
const inconclusive = (reason: string): ForNode => ({ status: 'inconclusive', reason })

const spendsByWitness = ({ scriptHex }: TxOut, scriptSig: Uint8Array): boolean =>
  scriptSig.length === 0
    ? isWitnessProgram(scriptHex)
    : P2SH.test(scriptHex) && nestedProgram(scriptSig) !== null

// Under a lock of either kind the node would evaluate the script for a later time.
const isLocked = (version: number, locktime: number, sequence: number): boolean =>
  locktime !== 0 || (version >= 2 && sequence !== 0 && (sequence & DISABLED) === 0)

/** The items that a script may read as signatures: without the script and its control block. */
function stackOf(witness: Uint8Array[]): readonly Uint8Array[] {
  const form = witnessForm(witness)
  if (!form) return []
  return form.kind === 'key-path' ? [form.signature] : form.stack
}
