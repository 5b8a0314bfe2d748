import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedIdempotency } from '../../../../src/adapters/embedded/stores/idempotency.ts'
import { idempotencyContract } from '../../../contracts/idempotency.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

idempotencyContract('embedded', async (bounds) => {
  const { path, drop } = temporaryDirectory()
  let store = await LmdbStore.open(path)
  return {
    store: new EmbeddedIdempotency(store, bounds),
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return new EmbeddedIdempotency(store, bounds)
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
