import { openEmbeddedHistory } from '../../../../src/adapters/embedded/stores/history.ts'
import { orderVersionsContract } from '../../../contracts/order-versions.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

orderVersionsContract('chDB', async () => {
  const { path, drop } = temporaryDirectory()
  const history = openEmbeddedHistory({ directory: path })
  return {
    history,
    versions: history.versions(),
    close: async () => {
      await history.close()
      drop()
    },
  }
})
