import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedUnprovedPool } from '../../../../src/adapters/embedded/stores/unproved-pool.ts'
import { unprovedPoolContract } from '../../../contracts/unproved-pool.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

unprovedPoolContract('embedded', async (bounds) => {
  const { path, drop } = temporaryDirectory()
  let store = await LmdbStore.open(path)
  return {
    store: new EmbeddedUnprovedPool(store, bounds),
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return new EmbeddedUnprovedPool(store, bounds)
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
