import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openDivergences } from '../../../../src/adapters/embedded/stores/divergences.ts'
import type { Divergences } from '../../../../src/ports/folds/divergences.ts'
import type { Divergence } from '../../../../src/schemas/api/pairing.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { hash, signerOf, tupleAt } from '../../../support/pairing/pairing-pipeline.ts'

const directory = temporaryDirectory()
let store: LmdbStore
beforeEach(async () => {
  store = await LmdbStore.open(directory.path)
})
afterEach(async () => {
  await store.close()
  directory.drop()
})

/** By pages of two. */
async function listOf(ledger: Divergences): Promise<Divergence[]> {
  const all: Divergence[] = []
  for (let below: number | null = null; ; ) {
    const page = await ledger.page(2, below)
    all.push(...page.map(({ divergence }) => divergence))
    const last = page.at(-1)
    if (!last) return all
    below = last.place
  }
}

const divergenceAt = (height: number, keyId = 'b1', root = 'lie'): Divergence => ({
  field: 'objectsRoot',
  height,
  own: signerOf('A', 'a1').seal(tupleAt(height)),
  peer: signerOf('B', keyId).seal({ ...tupleAt(height), objectsRoot: hash(root) }),
  firstSeenAt: new Date(height * 1_000).toISOString(),
})

test('the first of each distinct divergence is kept, across restarts, newest first', async () => {
  const ledger = openDivergences(store)
  expect(await listOf(ledger)).toEqual([])
  const first = divergenceAt(1)
  expect(await ledger.note(first)).toBe(true)
  expect(await ledger.note({ ...first, firstSeenAt: 'later' })).toBe(false)
  // Another key signed the same: not another divergence.
  expect(await ledger.note(divergenceAt(1, 'b2'))).toBe(false)
  expect(await ledger.note(divergenceAt(1, 'b1', 'another lie'))).toBe(true)
  expect(await ledger.note(divergenceAt(2))).toBe(true)
  const kept = [divergenceAt(2), divergenceAt(1, 'b1', 'another lie'), first]
  expect(await listOf(ledger)).toEqual(kept)
  await store.close()
  store = await LmdbStore.open(directory.path)
  expect(await listOf(openDivergences(store))).toEqual(kept)
  expect(await openDivergences(store).note(first)).toBe(false)
})

test('two at once are one', async () => {
  const ledger = openDivergences(store)
  const noted = await Promise.all([ledger.note(divergenceAt(1)), ledger.note(divergenceAt(1))])
  expect(noted.sort()).toEqual([false, true])
  expect(await listOf(ledger)).toHaveLength(1)
})

test('beyond the limit the oldest is dropped', async () => {
  const ledger = openDivergences(store, 3)
  for (let height = 1; height <= 5; height += 1) await ledger.note(divergenceAt(height))
  expect((await listOf(ledger)).map(({ height }) => height)).toEqual([5, 4, 3])
  expect(await ledger.note(divergenceAt(1))).toBe(true)
  expect((await listOf(ledger)).map(({ height }) => height)).toEqual([1, 5, 4])
})
