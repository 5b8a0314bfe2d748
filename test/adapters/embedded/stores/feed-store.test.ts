import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openFeedStore } from '../../../../src/adapters/embedded/stores/feed-store.ts'
import { feedStoreContract } from '../../../contracts/feed-store.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

feedStoreContract('embedded', async (remembered) => {
  const { path, drop } = temporaryDirectory()
  let store = await LmdbStore.open(path)
  return {
    store: openFeedStore(store, remembered),
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return openFeedStore(store, remembered)
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
