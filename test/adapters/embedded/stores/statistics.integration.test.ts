import { openEmbeddedHistory } from '../../../../src/adapters/embedded/stores/history.ts'
import { statisticsContract } from '../../../contracts/statistics.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

statisticsContract('chDB', async () => {
  const { path, drop } = temporaryDirectory()
  const history = openEmbeddedHistory({ directory: path })
  return {
    history,
    statistics: history.statistics(),
    close: async () => {
      await history.close()
      drop()
    },
  }
})
