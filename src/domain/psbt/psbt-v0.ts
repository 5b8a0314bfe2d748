import type { Pair, PsbtMaps } from './key-value-maps.ts'
import { GLOBAL } from './psbt-maps.ts'

/** Fields only in version 2 (BIP370, BIP375): in version 0 the unsigned transaction holds them. */
const VERSION_2_ONLY = {
  global: [0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xfb],
  inputs: [0x0e, 0x0f, 0x10, 0x11, 0x12, 0x1d, 0x1e, 0x1f, 0x20],
  outputs: [0x03, 0x04, 0x09, 0x0a],
} as const

/** The same PSBT's maps in version 0, with the unsigned transaction equivalent to version 2. */
export const toVersion0 = (maps: PsbtMaps, unsignedTx: Uint8Array): PsbtMaps => ({
  version: 0,
  global: [
    { type: GLOBAL.unsignedTx, key: Uint8Array.of(GLOBAL.unsignedTx), value: unsignedTx },
    ...without(maps.global, VERSION_2_ONLY.global),
  ],
  inputs: maps.inputs.map((map) => without(map, VERSION_2_ONLY.inputs)),
  outputs: maps.outputs.map((map) => without(map, VERSION_2_ONLY.outputs)),
})

const without = (map: readonly Pair[], types: readonly number[]): Pair[] =>
  map.filter(({ type }) => !types.includes(type))
