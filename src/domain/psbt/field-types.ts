import type { Pair, PsbtMaps } from './key-value-maps.ts'

const PROPRIETARY = 0xfc

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** Field types defined by a BIP (BIP174's registry): every other is unknown. */
const NAMED = {
  global: new Set([...range(0x00, 0x09), 0xfb]),
  inputs: new Set(range(0x00, 0x20)),
  outputs: new Set([...range(0x00, 0x0a), 0x35]),
}

const somePair = (maps: PsbtMaps, is: (pair: Pair, named: Set<number>) => boolean): boolean =>
  maps.global.some((pair) => is(pair, NAMED.global)) ||
  maps.inputs.flat().some((pair) => is(pair, NAMED.inputs)) ||
  maps.outputs.flat().some((pair) => is(pair, NAMED.outputs))

export const hasProprietaryFields = (maps: PsbtMaps): boolean =>
  somePair(maps, ({ type }) => type === PROPRIETARY)

export const hasUnknownFields = (maps: PsbtMaps): boolean =>
  somePair(maps, ({ type }, named) => type !== PROPRIETARY && !named.has(type))
