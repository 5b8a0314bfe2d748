import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { ViewTables } from '../../../src/adapters/embedded/views/view-tables.ts'
import { EmbeddedViews } from '../../../src/adapters/embedded/views/views.ts'
import { rebuildViewsContract } from '../../contracts/rebuild-views.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { systemClock as clock } from '../../support/system-clock.ts'

rebuildViewsContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock })
  const read = () => ViewTables.ofReaders(store)
  return {
    views,
    held: async () => {
      const { documents, rows, positions, freshness, other } = read()
      return {
        tables: [documents, rows, positions, freshness].map((table) => [...table.getRange()]),
        left: [other.documents, other.rows, other.positions].map((table) => table.getCount()),
        // As after a restart.
        listed: await (await EmbeddedViews.open({ store, network: 'regtest', clock })).page({
          includeWithdrawn: true,
          sort: 'newest',
          limit: 200,
        }),
      }
    },
    damage: async (id) => {
      const { documents } = read()
      const document = documents.get(id)
      if (!document) throw new Error('the order is there')
      const order = { ...document.order, state: 'REJECTED' as const }
      await store.write(() => documents.putSync(id, { ...document, order }))
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})
