import { LaterFormatError, PartitionsChangedError } from '../../../ports/log/storage-errors.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/** 1: without a tail, and without this setting. */
const FORMAT = 2
/**
 * Format 1 has a number here; a release that reads only that number refuses the text in its place.
 */
const READ_BEFORE = 'partitions'

/**
 * Checks the settings that a log was made with, or stores those of a new one. Throws
 * `PartitionsChangedError` and `LaterFormatError`.
 */
export async function keepSettings(store: LmdbStore, partitions: number): Promise<void> {
  const settings = store.table<number | string>('log settings')
  const format = settings.get('format') ?? 1
  if (Number(format) > FORMAT) throw new LaterFormatError(Number(format), FORMAT)
  const made = settings.get(format === 1 ? READ_BEFORE : 'partition count') ?? partitions
  if (made !== partitions) throw new PartitionsChangedError(Number(made), partitions)
  if (format === FORMAT) return
  await store.write(() => {
    settings.putSync('format', FORMAT)
    settings.putSync('partition count', partitions)
    settings.putSync(READ_BEFORE, `${partitions} (by a later release)`)
  })
}
