import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openCircleStore } from '../../../../src/adapters/embedded/stores/circle-store.ts'
import type { RecordChange } from '../../../../src/ports/folds/circle-store.ts'
import { circleStoreContract } from '../../../contracts/circle-store.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { MemoryCircleStore } from '../../../support/folds/memory-circle-store.ts'
import { toBlockHash, toOutpointText, toTxid } from '../../../support/ids.ts'

circleStoreContract('embedded', async () => {
  const directory = temporaryDirectory()
  let lmdb = await LmdbStore.open(directory.path)
  return {
    store: openCircleStore(lmdb),
    reopen: async () => {
      await lmdb.close()
      lmdb = await LmdbStore.open(directory.path)
      return openCircleStore(lmdb)
    },
    close: async () => {
      await lmdb.close()
      directory.drop()
    },
  }
})

circleStoreContract('memory', async () => {
  const store = new MemoryCircleStore()
  return { store, reopen: async () => store, close: async () => undefined }
})

test('nothing of a write that fails halfway is stored', async () => {
  const directory = temporaryDirectory()
  const lmdb = await LmdbStore.open(directory.path)
  try {
    const store = openCircleStore(lmdb)
    const edge = {
      fromCircle: toTxid('a'),
      toCircle: toTxid('b'),
      lineageId: 'c',
      viaOutpoint: toOutpointText('d'),
    }
    const good: RecordChange = { section: 'edges', key: 'a', before: null, after: edge }
    const bad = { ...good, key: 'k'.repeat(5_000) }
    const failed = store.connect([
      { height: 0, hash: toBlockHash('a'), changes: [good], state: null },
      { height: 1, hash: toBlockHash('b'), changes: [bad], state: null },
    ])
    await expect(failed).rejects.toThrow()
    expect(store.tip()).toBeNull()
    expect([...store.records('edges')]).toEqual([])
  } finally {
    await lmdb.close()
    directory.drop()
  }
})
