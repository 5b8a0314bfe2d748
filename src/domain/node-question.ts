import { Psbt, type Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../schemas/scalars.ts'
import type { FinalScripts } from './final-scripts.ts'
import { compactSize } from './psbt/byte-reader.ts'
import { bytesOf } from './script-template.ts'

/** A PSBT for the node's `analyzepsbt`, which runs the script of the input at `inputIndex`. */
export interface NodeQuestion {
  psbt: string
  inputIndex: number
}

/**
 * An ask reduced to its input and the output beside it. A signature of 0x83 commits to nothing else,
 * so it is the same digest (BIP143, BIP341), and placeholders stand in nobody's way.
 */
export function reducedQuestion(
  transaction: Transaction,
  inputIndex: number,
  scripts: FinalScripts,
  prevout: TxOut,
): NodeQuestion {
  const psbt = emptyLike(transaction)
  addInput(psbt, transaction, inputIndex, prevout, scripts)
  addOutputs(psbt, transaction.outs.slice(inputIndex, inputIndex + 1))
  return { psbt: psbt.toBase64(), inputIndex: 0 }
}

/** The whole transaction, every prevout as the node knows it, and one input final. */
export function wholeQuestion(
  transaction: Transaction,
  inputIndex: number,
  scripts: FinalScripts,
  prevouts: readonly TxOut[],
): NodeQuestion {
  const psbt = emptyLike(transaction)
  prevouts.forEach((prevout, at) => {
    addInput(psbt, transaction, at, prevout, at === inputIndex ? scripts : null)
  })
  addOutputs(psbt, transaction.outs)
  return { psbt: psbt.toBase64(), inputIndex }
}

const emptyLike = ({ version, locktime }: Transaction): Psbt =>
  new Psbt().setVersion(version).setLocktime(locktime)

function addInput(
  psbt: Psbt,
  transaction: Transaction,
  at: number,
  { scriptHex, valueSats }: TxOut,
  scripts: FinalScripts | null,
): void {
  const input = transaction.ins[at]
  if (!input) throw new RangeError(`the transaction has no input ${at}`)
  psbt.addInput({
    hash: input.hash,
    index: input.index,
    sequence: input.sequence,
    witnessUtxo: { script: bytesOf(scriptHex), value: BigInt(valueSats) },
    ...(scripts && scripts.witness.length > 0
      ? { finalScriptWitness: witnessBytes(scripts.witness) }
      : {}),
    ...(scripts && scripts.scriptSig.length > 0 ? { finalScriptSig: scripts.scriptSig } : {}),
  })
}

function addOutputs(psbt: Psbt, outputs: Transaction['outs']): void {
  for (const { script, value } of outputs) psbt.addOutput({ script, value })
}

const witnessBytes = (items: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(
    Buffer.concat([
      compactSize(items.length),
      ...items.flatMap((item) => [compactSize(item.length), item]),
    ]),
  )
