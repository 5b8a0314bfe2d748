import { Transaction } from 'bitcoinjs-lib'
import { MAX_MONEY, type Outpoint, type TxOut } from '../../schemas/scalars.ts'
import { displayTxid } from '../chain/hash256.ts'
import { type InputSignatures, type PsbtInput, signaturesOf } from '../psbt/input-signatures.ts'
import { accepted, invalidPsbt } from '../psbt/psbt-refused.ts'
import type { ReadPsbt } from '../psbt/read-psbt.ts'
import { areMixed, chosenSignatures } from '../satisfy/chosen-signatures.ts'
import { isWitnessProgram } from '../script/relay.ts'
import { hexOf, nestedProgram, P2SH, P2WPKH, P2WSH } from '../script/script-template.ts'

/** What a PSBT states, in the terms of the order rules; only claims until a node confirms them. */
export interface PsbtFacts {
  version: number
  locktime: number
  inputs: InputFacts[]
  outputs: TxOut[]
}

export interface InputFacts {
  outpoint: Outpoint
  sequence: number
  /** PSBT_IN_WITNESS_UTXO. */
  witnessUtxo: TxOut | null
  /** The output that it spends, from either utxo field. */
  prevout: TxOut | null
  signatures: InputSignatures
  /** PSBT_IN_SIGHASH_TYPE: what the PSBT's creator asked for, not what was signed. */
  sighashField: number | null
  isLegacy: boolean
}

/** @throws PsbtRefusedError for amounts that cannot exist */
export function factsOf({ psbt, unsigned, maps }: ReadPsbt): PsbtFacts {
  const outputs = unsigned.outs.map(txOutOf)
  if (outputs.reduce((sum, { valueSats }) => sum + BigInt(valueSats), 0n) > MAX_MONEY) {
    throw invalidPsbt('the outputs are worth more than 21 million bitcoin')
  }
  const inputsOf = psbt.data.inputs
  const signed = unsigned.ins.map((_, at) => signaturesOf(inputsOf[at] ?? {}))
  // One search is what a stranger's PSBT may cost: no order has two such inputs.
  const mixed = signed.flatMap((found, at) => (areMixed(found, inputsOf[at] ?? {}) ? [at] : []))
  const inputs = unsigned.ins.map(({ hash, index, sequence }, at): InputFacts => {
    const input = inputsOf[at] ?? {}
    const witnessUtxo = input.witnessUtxo ? txOutOf(input.witnessUtxo) : null
    const prevout = witnessUtxo ?? nonWitnessPrevout(input, index)
    const found = signed[at] ?? signaturesOf(input)
    const chosen = () => {
      const prevouts = unsigned.ins.map((_, n) => (n === at ? prevout : null))
      const map = maps.inputs[at] ?? []
      return chosenSignatures(found, { input, map, unsigned, inputIndex: at, prevouts })
    }
    return {
      outpoint: { txid: displayTxid(hash), vout: index },
      sequence,
      witnessUtxo,
      prevout,
      signatures: mixed.length === 1 && mixed[0] === at ? chosen() : found,
      sighashField: input.sighashType ?? null,
      isLegacy: isLegacy(input, prevout),
    }
  })
  return { version: unsigned.version, locktime: unsigned.locktime, inputs, outputs }
}

function txOutOf({ value, script }: { value: bigint; script: Uint8Array }): TxOut {
  if (value < 0n || value > MAX_MONEY)
    throw invalidPsbt('an output is worth more than 21 million bitcoin')
  return { valueSats: value.toString(), scriptHex: hexOf(script) }
}

function nonWitnessPrevout({ nonWitnessUtxo }: PsbtInput, vout: number): TxOut | null {
  if (!nonWitnessUtxo) return null
  const output = accepted(() => Transaction.fromBuffer(nonWitnessUtxo)).outs[vout]
  if (!output) throw invalidPsbt('a non-witness utxo has no output of the index that is spent')
  return txOutOf(output)
}

/**
 * Does a signature of this script bind the index of the input (everything before BIP143)? If the
 * PSBT does not say, segwit is assumed: the node's prevout decides later.
 */
function isLegacy(input: PsbtInput, prevout: TxOut | null): boolean {
  const { redeemScript, finalScriptSig, finalScriptWitness } = input
  if (!prevout) return finalScriptSig !== undefined && finalScriptWitness === undefined
  if (!P2SH.test(prevout.scriptHex)) return !isWitnessProgram(prevout.scriptHex)
  if (finalScriptSig) return nestedProgram(finalScriptSig) === null
  return redeemScript !== undefined && !isV0Program(hexOf(redeemScript))
}

const isV0Program = (scriptHex: string): boolean => P2WPKH.test(scriptHex) || P2WSH.test(scriptHex)
