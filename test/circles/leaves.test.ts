import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeLeaves, type Leaves, packLeaves } from '../../src/circles/leaves.ts'
import { StateHasher } from '../../src/circles/state-hasher.ts'
import { sha256 } from '../oracle/canonical.ts'

const joined = (leaves: Leaves): string =>
  Buffer.concat(leaves.map(({ bytes }) => bytes)).toString()
const expected = (records: ReadonlyMap<string, string>): string =>
  [...records.keys()]
    .sort()
    .map((key) => `,${records.get(key)}`)
    .join('')

// Records of up to 3,000 bytes: leaves are split, emptied and filled again.
const changes = fc.uniqueArray(
  fc.record({
    key: fc.integer({ min: 0, max: 400 }).map((n) => String(n).padStart(3, '0')),
    size: fc.option(fc.integer({ min: 1, max: 3_000 }), { freq: 2 }),
  }),
  { selector: ({ key }) => key, maxLength: 120 },
)

test('leaves hold the records in the order of their keys, whatever is added and removed', () => {
  fc.assert(
    fc.property(fc.array(changes, { minLength: 1, maxLength: 8 }), (rounds) => {
      const records = new Map<string, string>()
      let leaves: Leaves = []
      rounds.forEach((round, at) => {
        const before = leaves
        const text = joined(before)
        leaves = changeLeaves(
          leaves,
          round.map(({ key, size }) => {
            const record = size === null ? null : `${key}/${at}/`.padEnd(size, 'x')
            if (record === null) records.delete(key)
            else records.set(key, record)
            return { key, bytes: record === null ? null : Buffer.from(record) }
          }),
        )
        expect(joined(leaves)).toBe(expected(records))
        expect(leaves.flatMap(({ keys }) => keys)).toEqual([...records.keys()].sort())
        for (const { bytes, head, ends } of leaves) {
          expect(head.toString()).toBe(bytes.subarray(1).toString())
          expect(ends.at(-1)).toBe(bytes.length)
          expect(bytes.length).toBeLessThanOrEqual(2 * 32_768)
        }
        // An earlier list still holds what it held.
        expect(joined(before)).toBe(text)
      })
      const sorted = [...records.keys()].sort()
      const packed = packLeaves(
        sorted.map((key) => ({ key, bytes: Buffer.from(records.get(key) ?? '') })),
      )
      expect(joined(packed)).toBe(joined(leaves))
    }),
    { numRuns: 150 },
  )
})

test('an unchanged leaf is the same object as before', () => {
  const records = Array.from({ length: 500 }, (_, n) => ({
    key: String(n).padStart(3, '0'),
    bytes: Buffer.alloc(1_000, 'x'),
  }))
  const before = packLeaves(records)
  const after = changeLeaves(before, [{ key: '250', bytes: Buffer.from('new') }])
  expect(before.length).toBeGreaterThan(10)
  expect(after.filter((leaf) => !before.includes(leaf))).toHaveLength(1)
})

test('the hash starts again where the pieces differ, and is that of all of them', async () => {
  const hasher = new StateHasher()
  let pieces = Array.from({ length: 40 }, (_, n) => Buffer.alloc(2 ** 20, n))
  for (const at of [39, 0, 20, 39, 5]) {
    expect(await hasher.hash(pieces)).toBe(sha256(...pieces).toString('hex'))
    pieces = pieces.with(at, Buffer.alloc(2 ** 20 + at, 0xff - at))
    expect(await hasher.hash(pieces)).toBe(sha256(...pieces).toString('hex'))
  }
  expect(await hasher.hash(pieces.slice(0, 10))).toBe(
    sha256(...pieces.slice(0, 10)).toString('hex'),
  )
  expect(await hasher.hash([])).toBe(sha256().toString('hex'))
})
