import { withoutWitnesses } from '../chain/bare-transaction.ts'
import type { Pair } from '../psbt/key-value-maps.ts'
import { ORDER_LIMITS, type PsbtLimits } from '../psbt/psbt-limits.ts'
import { readPsbtMaps, writePsbtMaps } from '../psbt/psbt-maps.ts'
import { accepted } from '../psbt/psbt-refused.ts'
import { decodePsbtText, encodeBase64 } from '../psbt/psbt-text.ts'

const NON_WITNESS_UTXO = 0x00
const WITNESS_UTXO = 0x01
/** A standard transaction has at most 400,000 bytes; the rest is the order. */
const MAX_BYTES = 500_000
/** The frame alone is read: an item of a transaction that is left out costs a step of a loop. */
const SLIM_LIMITS: PsbtLimits = { ...ORDER_LIMITS, bytes: MAX_BYTES, items: MAX_BYTES }

/**
 * A PSBT with less of its previous transactions, the likeliest part to be too large: the reveal of
 * an inscription is the inscription. First without their witnesses, which no txid commits to
 * (BIP141); then without the previous transactions of inputs that state their own output (BIP174,
 * WITNESS_UTXO). The signatures of an order sign the same in both.
 *
 * @throws PsbtRefusedError
 */
export function slimmerPsbts(text: string): string[] {
  const { inputs, ...rest } = readPsbtMaps(decodePsbtText(text, MAX_BYTES), SLIM_LIMITS)
  const written = (change: (input: Pair[]) => Pair[]): string =>
    encodeBase64(writePsbtMaps({ ...rest, inputs: inputs.map(change) }))
  return accepted(() => [
    written((input) => input.map(withoutItsWitnesses)),
    written(withoutPrevious),
  ])
}

const isPrevious = ({ type }: Pair): boolean => type === NON_WITNESS_UTXO

const withoutItsWitnesses = (pair: Pair): Pair =>
  isPrevious(pair) && hasWitnesses(pair.value)
    ? { ...pair, value: withoutWitnesses(Buffer.from(pair.value).toString('hex')) }
    : pair

function hasWitnesses(transaction: Uint8Array): boolean {
  const [marker, flag] = transaction.subarray(4)
  return marker === 0 && flag === 1
}

const withoutPrevious = (input: Pair[]): Pair[] =>
  input.some(({ type }) => type === WITNESS_UTXO)
    ? input.filter((pair) => !isPrevious(pair))
    : input
