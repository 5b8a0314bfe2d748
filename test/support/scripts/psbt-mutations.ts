import fc from 'fast-check'
import type { Pair, PsbtMaps } from '../../../src/domain/psbt/key-value-maps.ts'
import { readPsbtMaps, writePsbtMaps } from '../../../src/domain/psbt/psbt-maps.ts'
import { PURCHASE_LIMITS } from '../../../src/domain/purchase/final-transaction.ts'
import { almost } from '../chain/byte-edits.ts'

type Maps = Omit<PsbtMaps, 'version'>

/** A change of one pair, which a map of the PSBT holds at this place; both wrap around. */
interface Mutation {
  kind: 'drop' | 'double' | 'retype' | 'key' | 'value' | 'empty' | 'move' | 'field'
  map: number
  pair: number
  type: number
  bytes: Uint8Array
  keep: number
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('drop', 'double', 'retype', 'key', 'value', 'empty', 'move', 'field'),
  map: fc.nat({ max: 30 }),
  pair: fc.nat({ max: 30 }),
  type: fc.oneof(fc.nat({ max: 0x20 }), fc.constantFrom(0x35, 0xfb, 0xfc, 0xff)),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.uint8Array({ minLength: 20, maxLength: 20 }),
    fc.uint8Array({ minLength: 32, maxLength: 34 }),
    fc.uint8Array({ minLength: 64, maxLength: 72 }),
  ),
  keep: fc.nat({ max: 80 }),
})

/** One of these PSBTs with one to three of its pairs changed, or some of its bytes. */
export const mutatedPsbt = (good: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 1, arbitrary: almost(good) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...good), fc.array(mutation, { minLength: 1, maxLength: 3 }))
        .map(([bytes, mutations]) => {
          const maps = readPsbtMaps(bytes, PURCHASE_LIMITS)
          for (const one of mutations) mutate(maps, one)
          return writePsbtMaps(maps)
        }),
    },
  )

function mutate({ global, inputs, outputs }: Maps, change: Mutation): void {
  const all = [global, ...inputs, ...outputs]
  const map = all[change.map % all.length] ?? global
  const at = change.pair % Math.max(map.length, 1)
  const pair = map[at]
  if (!pair || change.kind === 'field') {
    map.push(typed(change.type, change.bytes.subarray(change.keep % 40), change.bytes))
    return
  }
  switch (change.kind) {
    case 'drop':
      map.splice(at, 1)
      break
    case 'double':
      map.push({ ...pair, value: change.bytes })
      break
    case 'retype':
      map[at] = typed(change.type, pair.key.subarray(1), pair.value)
      break
    case 'key':
      map[at] = typed(pair.type, change.bytes, pair.value)
      break
    case 'value':
      map[at] = {
        ...pair,
        value: Buffer.concat([pair.value.subarray(0, change.keep), change.bytes]),
      }
      break
    case 'empty':
      map[at] = { ...pair, value: change.keep % 2 === 0 ? new Uint8Array() : Uint8Array.of(0) }
      break
    case 'move':
      map.splice(at, 1)
      all[(change.map + change.keep) % all.length]?.push(pair)
      break
  }
}

const typed = (type: number, keyData: Uint8Array, value: Uint8Array): Pair => ({
  type,
  key: Uint8Array.of(type, ...keyData),
  value,
})
