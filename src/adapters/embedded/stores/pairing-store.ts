import type { Database, Key, RangeOptions } from 'lmdb'
import type {
  PairingRecords,
  PairingStore,
  PairingTable,
  PairingTables,
  Range,
} from '../../../ports/folds/pairing-store.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/** The tables of the pairing index in the environment of DATA_DIR; closed by its opener. */
export function openPairingStore(store: LmdbStore): PairingStore {
  const tables = store.opening(() => tablesOf(store))
  return {
    read: (query) => store.read(() => query(tables)),
    write: (action) => store.writeGrouped(() => action(tables)),
  }
}

const tablesOf = (store: LmdbStore): PairingTables => ({
  settings: documents(store, 'settings'),
  objects: documents(store, 'objects'),
  carriers: documents(store, 'carriers'),
  transactions: documents(store, 'transactions'),
  events: documents(store, 'events'),
  checkpoints: documents(store, 'checkpoints'),
  signatures: documents(store, 'signatures'),
  undo: documents(store, 'undo'),
  rows: tableOf(store.table('pairing-rows')),
})

function documents<T extends keyof PairingRecords>(
  store: LmdbStore,
  name: T,
): PairingTable<PairingRecords[T][0], PairingRecords[T][1]> {
  return tableOf(store.documents(`pairing-${name}`))
}

function optionsOf<K extends Key>({ from, below, reverse = false, limit }: Range<K>): RangeOptions {
  const bounds = reverse
    ? { start: below, exclusiveStart: true, end: from, inclusiveEnd: true, reverse }
    : { start: from, end: below }
  return { ...bounds, ...(limit !== undefined && { limit }) }
}

function tableOf<K extends Key, V>(database: Database<V, K>): PairingTable<K, V> {
  return {
    get: (key) => database.get(key),
    range: (range) => database.getRange(optionsOf(range)),
    keys: (range) => database.getKeys(optionsOf(range)),
    put: (key, value) => database.putSync(key, value),
    remove: (key) => {
      database.removeSync(key)
    },
  }
}
