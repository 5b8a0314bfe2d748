import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedBuiltAsks } from '../../../../src/adapters/embedded/stores/built-asks.ts'
import { builtAsksContract } from '../../../contracts/built-asks.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

builtAsksContract('embedded', async (bounds) => {
  const { path, drop } = temporaryDirectory()
  let store = await LmdbStore.open(path)
  return {
    store: new EmbeddedBuiltAsks(store, bounds),
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return new EmbeddedBuiltAsks(store, bounds)
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
