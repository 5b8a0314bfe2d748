import { join } from 'node:path'
import type { DatabaseOptions, RootDatabaseOptionsWithPath } from 'lmdb'

export const MAX_TABLES = 96
/**
 * Address space reserved for the file, in bytes, where no other size is set: it uses neither memory nor
 * disk. A map that grows with the file leaves every smaller one mapped, and pages then count twice.
 */
export const DEFAULT_MAP_BYTES = 2 ** 36
/** Bytes of JSON: shorter records gain nothing. */
const COMPRESS_FROM = 200

/** The file of an environment. */
export const fileOf = (directory: string): string => join(directory, 'market.mdb')

/**
 * How the environment of a directory is opened, by its owner and by readers. LMDB never maps less than
 * the file has.
 */
export const environmentOf = (
  directory: string,
  mapBytes = DEFAULT_MAP_BYTES,
): RootDatabaseOptionsWithPath => ({
  path: fileOf(directory),
  maxDbs: MAX_TABLES,
  mapSize: mapBytes,
})

/** Where an environment keeps the dictionary that compresses its records. */
export const DICTIONARY = { table: 'dictionary', key: 'json' } as const

/** Plain JSON values, stored compressed. */
export const recordsWith = (dictionary: Buffer): DatabaseOptions => ({
  encoding: 'json',
  compression: { threshold: COMPRESS_FROM, dictionary },
})

/** Plain JSON values, stored as they are. */
export const PLAIN_RECORDS: DatabaseOptions = { encoding: 'json' }
