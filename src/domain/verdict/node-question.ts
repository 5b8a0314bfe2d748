import { Psbt, type Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { compactSize } from '../psbt/byte-reader.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { bytesOf } from '../script/script-template.ts'

/** A PSBT for the node's `analyzepsbt`, which runs the script of the input at `inputIndex`. */
export interface NodeQuestion {
  psbt: string
  inputIndex: number
}

/**
 * An ask reduced to its input and the output beside it. A signature of 0x83 commits to nothing
 * else, so the digest is the same (BIP143, BIP341), and placeholders do not interfere.
 */
export function reducedQuestion(
  transaction: Transaction,
  inputIndex: number,
  scripts: FinalScripts,
  prevout: TxOut,
): NodeQuestion {
  const psbt = questionPsbt(transaction, [inputIndex], [prevout], [inputIndex])
  return { psbt: finalised(psbt, 0, scripts), inputIndex: 0 }
}

/** The whole transaction, with every prevout as the node reports it, and one input final. */
export function wholeQuestion(
  transaction: Transaction,
  inputIndex: number,
  scripts: FinalScripts,
  prevouts: readonly TxOut[],
): NodeQuestion {
  const inputs = transaction.ins.map((_, at) => at)
  const outputs = transaction.outs.map((_, at) => at)
  const psbt = questionPsbt(transaction, inputs, prevouts, outputs)
  return { psbt: finalised(psbt, inputIndex, scripts), inputIndex }
}

/** A PSBT of some inputs and outputs of a transaction, with the prevouts of these inputs. */
function questionPsbt(
  { version, locktime, ins, outs }: Transaction,
  inputs: readonly number[],
  prevouts: readonly TxOut[],
  outputs: readonly number[],
): Psbt {
  const psbt = new Psbt().setVersion(version).setLocktime(locktime)
  for (const [n, at] of inputs.entries()) {
    const input = ins[at]
    const prevout = prevouts[n]
    if (!input || !prevout) throw new RangeError(`input ${at} or its prevout is missing`)
    const { hash, index, sequence } = input
    const witnessUtxo = { script: bytesOf(prevout.scriptHex), value: BigInt(prevout.valueSats) }
    psbt.addInput({ hash, index, sequence, witnessUtxo })
  }
  for (const at of outputs) {
    const output = outs[at]
    if (!output) throw new RangeError(`output ${at} is missing`)
    psbt.addOutput({ script: output.script, value: output.value })
  }
  return psbt
}

// Last: bitcoinjs allows no additions beside a final input whose signature would commit to them.
function finalised(psbt: Psbt, at: number, { witness, scriptSig }: FinalScripts): string {
  psbt.updateInput(at, {
    ...(witness.length > 0 && { finalScriptWitness: witnessBytes(witness) }),
    ...(scriptSig.length > 0 && { finalScriptSig: scriptSig }),
  })
  return psbt.toBase64()
}

/** A witness stack as PSBT_IN_FINAL_SCRIPTWITNESS holds it. */
export const witnessBytes = (items: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(
    Buffer.concat([
      compactSize(items.length),
      ...items.flatMap((item) => [compactSize(item.length), item]),
    ]),
  )
