import { randomUUID } from 'node:crypto'
import { PartitionsChangedError } from '../../../ports/log/storage-errors.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/**
 * Checks the settings that a log was made with, or stores those of a new one. Returns the log's id.
 * Throws `PartitionsChangedError`.
 */
export async function keepSettings(store: LmdbStore, partitions: number): Promise<string> {
  const settings = store.table<number | string>('log settings')
  const made = settings.get('partitions') ?? partitions
  if (made !== partitions) throw new PartitionsChangedError(Number(made), partitions)
  const known = settings.get('id')
  if (typeof known === 'string') return known
  const id = randomUUID()
  await store.write(() => {
    settings.putSync('id', id)
    settings.putSync('partitions', partitions)
  })
  return id
}
