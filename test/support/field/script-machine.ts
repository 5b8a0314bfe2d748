import { script as bitcoinScript, crypto, opcodes, Psbt, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { witnessItems } from '../../../src/domain/psbt/witness.ts'
import { checkInput } from '../../../src/domain/script/script-check.ts'
import { bytesOf, hexOf, P2TR, P2WSH } from '../../../src/domain/script/script-template.ts'
import { ecdsaSignature, taprootSignature } from '../../../src/domain/script/sighash.ts'
import { leafHashOf } from '../../../src/domain/script/tapscript.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'

// Scripts of test/vectors/field that a service leaves to its node, run by the few opcodes that they
// have; the services suite runs the same on Bitcoin Core. Any other opcode is an error of the test.

const EMPTY = new Uint8Array()
const TRUE = Uint8Array.of(1)
/** BIP68: the low 16 bits count blocks. */
const BLOCKS = 0xffff

interface Running {
  transaction: Transaction
  prevout: TxOut
  script: Uint8Array
  /** Of a tapscript. */
  leafHash: Uint8Array | null
}

/** A script that fails, as opposed to one that this machine cannot run. */
class ScriptFailure extends Error {}

/** As `analyzepsbt`: is the only input of a PSBT final, that is, does its script run to true? */
export async function runsToTrue(psbtBase64: string, index: number): Promise<boolean> {
  const psbt = Psbt.fromBase64(psbtBase64)
  const [input] = psbt.data.inputs
  const utxo = input?.witnessUtxo
  if (index !== 0 || psbt.inputCount !== 1 || !utxo) throw new Error('not a question of one input')
  const transaction = Transaction.fromBuffer(psbt.data.globalMap.unsignedTx.toBuffer())
  if (input.finalScriptSig) transaction.setInputScript(0, input.finalScriptSig)
  transaction.setWitness(0, witnessItems(input.finalScriptWitness ?? EMPTY) ?? [])
  const prevout = { scriptHex: hexOf(utxo.script), valueSats: utxo.value.toString() }
  const known = checkInput({ transaction, inputIndex: 0, prevouts: [prevout] }, ecc)
  if (known !== 'unsupported') return known === 'valid'
  try {
    return runWitness(transaction, prevout)
  } catch (error) {
    if (error instanceof ScriptFailure) return false
    throw error
  }
}

function runWitness(transaction: Transaction, prevout: TxOut): boolean {
  const witness = transaction.ins[0]?.witness ?? []
  const isTaproot = P2TR.test(prevout.scriptHex)
  const [, scriptHash] = P2WSH.exec(prevout.scriptHex) ?? []
  const script = witness.at(isTaproot ? -2 : -1) ?? EMPTY
  if (!isTaproot && hexOf(crypto.sha256(script)) !== scriptHash) return false
  const leafHash = isTaproot ? leafHashOf(script) : null
  const stack = run(
    { transaction, prevout, script, leafHash },
    witness.slice(0, isTaproot ? -2 : -1),
  )
  // Clean stack: one element, true.
  return stack.length === 1 && isTrue(stack[0] ?? EMPTY)
}

function run(running: Running, items: readonly Uint8Array[]): Uint8Array[] {
  const stack = [...items]
  const pop = (): Uint8Array => {
    const item = stack.pop()
    if (!item) throw new ScriptFailure('the stack is empty')
    return item
  }
  for (const chunk of bitcoinScript.decompile(running.script) ?? []) {
    if (typeof chunk !== 'number') stack.push(chunk)
    else step(chunk, stack, pop, running)
  }
  return stack
}

function step(opcode: number, stack: Uint8Array[], pop: () => Uint8Array, running: Running): void {
  const require = (holds: boolean): void => {
    if (!holds) throw new ScriptFailure('a required condition does not hold')
  }
  switch (opcode) {
    case opcodes.OP_CHECKSIG:
      stack.push(signs(pop(), pop(), running) ? TRUE : EMPTY)
      return
    case opcodes.OP_CHECKSIGVERIFY:
      require(signs(pop(), pop(), running))
      return
    case opcodes.OP_SWAP: {
      const [top, below] = [pop(), pop()]
      stack.push(top, below)
      return
    }
    case opcodes.OP_ADD:
      stack.push(bitcoinScript.number.encode(numberOf(pop()) + numberOf(pop())))
      return
    case opcodes.OP_EQUAL: {
      const [top, below] = [pop(), pop()]
      stack.push(hexOf(top) === hexOf(below) ? TRUE : EMPTY)
      return
    }
    case opcodes.OP_CHECKSEQUENCEVERIFY:
      require(blocksOf(running) >= numberOf(stack.at(-1) ?? EMPTY))
      return
    default: {
      const small = opcode - opcodes.OP_RESERVED
      if (small < 1 || small > 16) throw new Error(`this machine has no opcode ${opcode}`)
      stack.push(Uint8Array.of(small))
    }
  }
}

const numberOf = (item: Uint8Array): number => bitcoinScript.number.decode(item)
const isTrue = (item: Uint8Array): boolean => item.some((byte) => byte !== 0)
const blocksOf = ({ transaction }: Running): number => (transaction.ins[0]?.sequence ?? 0) & BLOCKS

/** A signature that is present and wrong fails the script (NULLFAIL, BIP342). */
function signs(key: Uint8Array, bytes: Uint8Array, running: Running): boolean {
  if (bytes.length === 0) return false
  if (running.leafHash ? isSchnorr(key, bytes, running) : isEcdsa(key, bytes, running)) return true
  throw new ScriptFailure('a signature is not valid')
}

function isEcdsa(key: Uint8Array, bytes: Uint8Array, running: Running): boolean {
  const { transaction, prevout, script } = running
  const signature = ecdsaSignature(bytes)
  if (!signature) return false
  const value = BigInt(prevout.valueSats)
  const digest = transaction.hashForWitnessV0(0, script, value, signature.sighash)
  return ecc.verify(digest, key, signature.compact)
}

function isSchnorr(key: Uint8Array, bytes: Uint8Array, running: Running): boolean {
  const { transaction, prevout, leafHash } = running
  const signature = taprootSignature(bytes)
  if (!signature || !leafHash) return false
  const scripts = [bytesOf(prevout.scriptHex)]
  const values = [BigInt(prevout.valueSats)]
  const digest = transaction.hashForWitnessV1(0, scripts, values, signature.sighash, leafHash)
  return ecc.verifySchnorr(digest, key, signature.compact)
}
