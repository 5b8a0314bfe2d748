import { expect, test } from 'vitest'
import {
  type List,
  listOf,
  wholeList,
} from '../../../../src/adapters/redis/order-index/kept-lists.ts'
import {
  type IndexHit,
  KeptWalks,
  type Walk,
} from '../../../../src/adapters/redis/order-index/kept-walks.ts'

const unkept = listOf(wholeList(5))
const versionOf = (version: number): List => ({ ...unkept, version })
const walk: Walk = { sort: 'newest', part: null, after: undefined, limit: 51 }
const hits = (count: number): IndexHit[] =>
  Array.from({ length: count }, (_, slot) => ({ id: `${slot}`, slot, member: `0 ${slot}:` }))

test('a walk is found again by its list, its sort, its place and its length', () => {
  const walks = new KeptWalks()
  walks.put(versionOf(1), walk, hits(2))
  expect(walks.get(versionOf(1), { ...walk })).toEqual(hits(2))
  expect(walks.get(versionOf(2), walk)).toBeUndefined()
  const others: Partial<Walk>[] = [
    { sort: 'oldest' },
    { part: { set: 'newest', from: '0', below: '1' } },
    { after: { value: '2026-01-01T00:00:00.000Z', id: 'a' } },
    { limit: 21 },
  ]
  for (const other of others) expect(walks.get(versionOf(1), { ...walk, ...other })).toBeUndefined()
  walks.clear()
  expect(walks.get(versionOf(1), walk)).toBeUndefined()
})

test('a walk of a list that is not kept is not kept either', () => {
  const walks = new KeptWalks()
  walks.put(unkept, walk, hits(2))
  expect(walks.get(unkept, walk)).toBeUndefined()
})

test('the least recently used are forgotten beyond 8 MiB', () => {
  const walks = new KeptWalks()
  for (let version = 0; version < 600; version += 1) walks.put(versionOf(version), walk, hits(51))
  expect(walks.get(versionOf(0), walk)).toBeUndefined()
  expect(walks.get(versionOf(599), walk)).toHaveLength(51)
})
