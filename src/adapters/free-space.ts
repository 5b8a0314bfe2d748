import { statfsSync } from 'node:fs'
import { StorageUnavailableError } from '../ports/log/storage-errors.ts'

/**
 * Disk space in bytes that LMDB never uses, far more than one transaction takes: a commit that hit
 * a full disk would end the process (ADR 35).
 */
export const KEPT_FREE_BYTES = 64 * 2 ** 20

const MIB = 2 ** 20

/** Bytes that a process may still write to the disk of `directory`. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Throws `StorageUnavailableError` (`full`) if the disk of `directory` has less left. */
export function assertFree(directory: string, bytes: number): void {
  const free = freeBytes(directory)
  if (free >= bytes) return
  throw new StorageUnavailableError(
    'full',
    `the disk of ${directory} has only ${(free / MIB).toFixed(1)} MiB left: nothing is written below ${bytes / MIB} MiB`,
  )
}
