import { Transaction } from 'bitcoinjs-lib'
import { outputOfTransaction, withoutWitnesses } from '../chain/bare-transaction.ts'
import type { Pair, PsbtMaps } from '../psbt/key-value-maps.ts'
import { ORDER_LIMITS, type PsbtLimits } from '../psbt/psbt-limits.ts'
import { fieldOf, GLOBAL, readPsbtMaps, writePsbtMaps } from '../psbt/psbt-maps.ts'
import { accepted } from '../psbt/psbt-refused.ts'
import { decodePsbtText, encodeBase64 } from '../psbt/psbt-text.ts'
import { needsPrevious, outputBytes } from '../purchase/purchase-psbt.ts'
import { hexOf } from '../script/script-template.ts'

const NON_WITNESS_UTXO = 0x00
const WITNESS_UTXO = 0x01
/** BIP370. */
const OUTPUT_INDEX = 0x0f
/** A standard transaction has at most 400,000 bytes; the rest is the order. */
const MAX_BYTES = 500_000
/** The frame alone is read: an item of a transaction that is left out costs a step of a loop. */
const SLIM_LIMITS: PsbtLimits = { ...ORDER_LIMITS, bytes: MAX_BYTES, items: MAX_BYTES }

/**
 * A PSBT with less of its previous transactions, the likeliest part to be too large: the reveal of
 * an inscription is the inscription. First without their witnesses, which no txid commits to
 * (BIP141); then with the output alone that an input spends (BIP174, WITNESS_UTXO), where a
 * signature commits to its amount. The signatures of an order sign the same in both. What changes
 * nothing is left out.
 *
 * @throws PsbtRefusedError
 */
export function slimmerPsbts(text: string): string[] {
  const maps = readPsbtMaps(decodePsbtText(text, MAX_BYTES), SLIM_LIMITS)
  const written = (change: (input: Pair[], at: number) => Pair[]): string =>
    encodeBase64(writePsbtMaps({ ...maps, inputs: maps.inputs.map(change) }))
  return accepted(() => {
    const spent = spentIndexes(maps)
    const whole = written((input) => input)
    const slimmer = [
      written((input) => input.map(withoutItsWitnesses)),
      written((input, at) => withoutPrevious(input, spent[at] ?? 0)),
    ]
    return slimmer.filter((psbt) => psbt !== whole)
  })
}

const isPrevious = ({ type }: Pair): boolean => type === NON_WITNESS_UTXO

const withoutItsWitnesses = (pair: Pair): Pair =>
  isPrevious(pair) && hasWitnesses(pair.value)
    ? { ...pair, value: withoutWitnesses(hexOf(pair.value)) }
    : pair

function hasWitnesses(transaction: Uint8Array): boolean {
  const [marker, flag] = transaction.subarray(4)
  return marker === 0 && flag === 1
}

function withoutPrevious(input: Pair[], spent: number): Pair[] {
  const previous = fieldOf(input, NON_WITNESS_UTXO)
  if (!previous) return input
  const rest = input.filter((pair) => !isPrevious(pair))
  if (fieldOf(rest, WITNESS_UTXO)) return rest
  const output = outputOfTransaction(hexOf(previous), spent)
  if (needsPrevious(output.scriptHex)) return input
  const key = Uint8Array.of(WITNESS_UTXO)
  return [{ type: WITNESS_UTXO, key, value: outputBytes(output) }, ...rest]
}

/** The index of the output that each input spends. */
function spentIndexes({ global, inputs }: PsbtMaps): number[] {
  const unsigned = fieldOf(global, GLOBAL.unsignedTx)
  if (unsigned) return Transaction.fromBuffer(unsigned).ins.map(({ index }) => index)
  return inputs.map((input) => Buffer.from(fieldOf(input, OUTPUT_INDEX) ?? []).readUInt32LE(0))
}
