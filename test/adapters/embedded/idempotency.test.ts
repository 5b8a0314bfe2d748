import { EmbeddedIdempotency } from '../../../src/adapters/embedded/idempotency.ts'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb-store.ts'
import { idempotencyContract } from '../../contracts/idempotency.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

idempotencyContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  let store = await LmdbStore.open(path)
  return {
    store: new EmbeddedIdempotency(store),
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return new EmbeddedIdempotency(store)
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
