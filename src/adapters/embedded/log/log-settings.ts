import { randomUUID } from 'node:crypto'
import { LaterFormatError, PartitionsChangedError } from '../../../ports/log/storage-errors.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/** 1: without a tail, and without this setting. */
const FORMAT = 2
/**
 * Format 1 has a number here; a release that reads only that number refuses the text in its place.
 */
const READ_BEFORE = 'partitions'

/**
 * Checks the settings that a log was made with, or stores those of a new one. Returns the log's id.
 * Throws `PartitionsChangedError` and `LaterFormatError`.
 */
export async function keepSettings(store: LmdbStore, partitions: number): Promise<string> {
  const settings = store.table<number | string>('log settings')
  const format = settings.get('format') ?? 1
  if (Number(format) > FORMAT) throw new LaterFormatError(Number(format), FORMAT)
  const made = settings.get(format === 1 ? READ_BEFORE : 'partition count') ?? partitions
  if (made !== partitions) throw new PartitionsChangedError(Number(made), partitions)
  const known = settings.get('id')
  if (format === FORMAT && typeof known === 'string') return known
  // A log of an earlier release gets its id now.
  const id = randomUUID()
  await store.write(() => {
    settings.putSync('id', id)
    settings.putSync('format', FORMAT)
    settings.putSync('partition count', partitions)
    settings.putSync(READ_BEFORE, `${partitions} (by a later release)`)
  })
  return id
}
