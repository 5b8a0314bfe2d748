import { type Database, type Key, open } from 'lmdb'
import { DICTIONARY, environmentOf, recordsWith } from '../lmdb/lmdb-environment.ts'
import { LAYOUT_ENTRY, requireLayout } from '../lmdb/lmdb-layout.ts'

/**
 * Reads the records of one table, even while the process that owns the store writes. Null: the
 * store has no such table. Throws `StoreLayoutError`. Not for the owner itself, whose `LmdbStore` is open.
 */
export async function readStored<V, K extends Key, T>(
  directory: string,
  table: string,
  read: (records: Database<V, K>) => T,
): Promise<T | null> {
  const root = open({ ...environmentOf(directory), readOnly: true })
  // A missing table is not created: lmdb then returns undefined, which its types do not say.
  const find = <V, K extends Key>(name: string, options = {}): Database<V, K> | undefined =>
    root.openDB<V, K>({ name, ...options })
  try {
    const meta = find<unknown, string>(LAYOUT_ENTRY.table)
    if (meta) requireLayout(directory, meta)
    const dictionary = find<Buffer, string>(DICTIONARY.table)?.get(DICTIONARY.key)
    const records = dictionary && find<V, K>(table, recordsWith(dictionary))
    return records ? read(records) : null
  } finally {
    await root.close()
  }
}

/** Throws `StoreLayoutError` unless this release can open the store of a directory. */
export async function requireStoredLayout(directory: string): Promise<void> {
  await readStored(directory, LAYOUT_ENTRY.table, () => null)
}
