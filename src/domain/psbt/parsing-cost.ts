import { ByteReader } from './byte-reader.ts'
import type { Pair, PsbtMaps } from './key-value-maps.ts'
import type { PsbtLimits } from './psbt-limits.ts'
import { psbtTooLarge } from './psbt-refused.ts'
import { partsOfTransaction } from './transaction-parts.ts'

const NON_WITNESS_UTXO = 0x00
const FINAL_SCRIPT_WITNESS = 0x08

/** Fields with a public key (BIP174, BIP371, BIP373, BIP375), and those with a list of them. */
const KEY_FIELDS = {
  global: [0x01, 0x07, 0x08],
  inputs: [0x02, 0x06, 0x14, 0x16, 0x17, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f],
  outputs: [0x02, 0x05, 0x07, 0x08, 0x09],
} as const
const PARTICIPANTS = { inputs: 0x1a, outputs: 0x08 } as const
const KEY_BYTES = 33

/**
 * Refuses a small PSBT that would be slow to parse. Its frame is already checked; contents are read
 * only as far as needed to count.
 *
 * @throws PsbtRefusedError
 */
export function checkParsingCost(
  { global, inputs, outputs }: Omit<PsbtMaps, 'version'>,
  limits: PsbtLimits,
): void {
  const keys =
    keysOf(global, KEY_FIELDS.global) +
    keysOf(inputs.flat(), KEY_FIELDS.inputs, PARTICIPANTS.inputs) +
    keysOf(outputs.flat(), KEY_FIELDS.outputs, PARTICIPANTS.outputs)
  if (keys > limits.publicKeys) throw psbtTooLarge('the PSBT names too many public keys')
  let items = 0
  for (const { type, value } of inputs.flat()) {
    if (type === FINAL_SCRIPT_WITNESS) items += new ByteReader(value).compactSize()
    if (type === NON_WITNESS_UTXO) items += partsOfTransaction(value, limits.items)
    if (items > limits.items)
      throw psbtTooLarge('the witnesses and previous transactions of the PSBT have too many parts')
  }
}

const keysOf = (pairs: readonly Pair[], types: readonly number[], participants?: number): number =>
  pairs
    .filter(({ type }) => types.includes(type))
    .reduce(
      (sum, { type, value }) =>
        sum + 1 + (type === participants ? Math.ceil(value.length / KEY_BYTES) : 0),
      0,
    )
