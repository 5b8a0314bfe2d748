import { statSync } from 'node:fs'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { fileOf } from './lmdb-environment.ts'

const GIB = 2 ** 30

/** The size in bytes that each store of DATA_DIR may have. */
export const mapBytesOf = ({ LMDB_MAP_GIB }: { LMDB_MAP_GIB: number }): number => LMDB_MAP_GIB * GIB

/**
 * Throws `StorageUnavailableError` (`full`) if the file of a store has less than `kept` bytes left of its
 * map. LMDB as lmdb builds it would go on with a map of twice the size, and the first would stay too: what
 * is read through both counts twice against the memory of the process.
 */
export function assertMapRoom(directory: string, mapBytes: number, kept: number): void {
  const file = fileOf(directory)
  const used = statSync(file).size
  if (used + kept <= mapBytes) return
  throw new StorageUnavailableError(
    'full',
    `${file} has ${(used / GIB).toFixed(1)} GiB, nearly all that LMDB_MAP_GIB=${mapBytes / GIB} allows: set it to more and start again`,
  )
}
