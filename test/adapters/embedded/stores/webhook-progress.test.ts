import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedWebhookProgress } from '../../../../src/adapters/embedded/stores/webhook-progress.ts'
import { webhookProgressContract } from '../../../contracts/webhook-progress.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

webhookProgressContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  let store = await LmdbStore.open(path)
  return {
    store: new EmbeddedWebhookProgress(store),
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return new EmbeddedWebhookProgress(store)
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
