import { mkdirSync } from 'node:fs'
import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import type { TableSize } from '../../../ports/log/sizes.ts'
import { StorageUnavailableError, StoreLayoutError } from '../../../ports/log/storage-errors.ts'
import { assertFree, KEPT_FREE_BYTES } from '../../free-space.ts'
import { NEW_DICTIONARY } from './lmdb-dictionary.ts'
import {
  DEFAULT_MAP_BYTES,
  DICTIONARY,
  environmentOf,
  PLAIN_RECORDS,
  recordsWith,
} from './lmdb-environment.ts'
import { LAYOUT_ENTRY, requireLayout, STORE_LAYOUT } from './lmdb-layout.ts'
import { assertMapRoom } from './lmdb-map.ts'
import { isRunning, type ProcessIdentity, thisProcess } from './lmdb-owner.ts'
import { WriteGroups } from './write-groups.ts'

export interface StoreOptions {
  /** With fewer bytes free on its disk, or left of its map, the store refuses writes; 64 MiB. */
  minFreeBytes?: number
  /** The size that its file may have; 64 GiB. */
  mapBytes?: number
}

const COUNTS = [
  'pageSize',
  'treeBranchPageCount',
  'treeLeafPageCount',
  'overflowPages',
  'entryCount',
] as const

interface Owner {
  process: ProcessIdentity
  /** Grows by one with each process that opens the store: fences an owner presumed dead. */
  term: number
}

/** Bytes that a start and a stop may still write when the disk is full for everything else. */
const OWNER_BYTES = 2 ** 20

/**
 * The one LMDB environment of a DATA_DIR: its tables, the only way to write to it, and its owner.
 * A write is one transaction that is on disk before its promise resolves: without `overlappingSync`
 * LMDB syncs the data before it writes the page that makes it visible.
 */
export class LmdbStore {
  readonly directory: string
  readonly #root: RootDatabase
  readonly #meta: Database<unknown, string>
  readonly #owners: Database<Owner, string>
  /** Grows by one with each process that opens the store. */
  readonly term: number
  readonly #dictionary: Buffer
  readonly #minFreeBytes: number
  readonly #mapBytes: number
  readonly #groups = new WriteGroups()
  #broken: StorageUnavailableError | null = null
  #probes = 0
  #closed = false

  /**
   * Throws `StorageUnavailableError`: `in-use` while another living process holds the directory, `full`
   * if not even the owner record fits, `io` if it cannot be used at all. Throws `StoreLayoutError` for
   * one of another layout, which is left as it was.
   */
  static async open(directory: string, options: StoreOptions = {}): Promise<LmdbStore> {
    let root: RootDatabase | null = null
    try {
      mkdirSync(directory, { recursive: true })
      assertFree(directory, OWNER_BYTES)
      const { minFreeBytes = KEPT_FREE_BYTES, mapBytes = DEFAULT_MAP_BYTES } = options
      root = openEnvironment(directory, mapBytes)
      return new LmdbStore(root, directory, { minFreeBytes, mapBytes })
    } catch (error) {
      await root?.close()
      if (error instanceof StorageUnavailableError || error instanceof StoreLayoutError) throw error
      const what = error instanceof Error ? error.message : String(error)
      throw new StorageUnavailableError('io', `${directory} cannot be used: ${what}`, {
        cause: error,
      })
    }
  }

  private constructor(root: RootDatabase, directory: string, options: Required<StoreOptions>) {
    this.directory = directory
    this.#root = root
    this.#minFreeBytes = options.minFreeBytes
    this.#mapBytes = options.mapBytes
    // One transaction: a new store waits for the disk once for all of it.
    const own = root.transactionSync(() => {
      const meta = this.table<unknown>(LAYOUT_ENTRY.table)
      const owners = this.table<Owner>('owner')
      const isNew = owners.get('last') === undefined
      if (isNew) meta.putSync(LAYOUT_ENTRY.key, STORE_LAYOUT)
      requireLayout(directory, meta)
      return { meta, owners, term: this.#takeOwnership(owners), dictionary: this.#keepDictionary() }
    })
    this.#meta = own.meta
    this.#owners = own.owners
    this.term = own.term
    this.#dictionary = own.dictionary
  }

  /**
   * Runs `open`, which opens tables: the missing ones are created in one transaction, so that a new
   * store waits for the disk once for all of them.
   */
  opening<T>(open: () => T): T {
    return this.#root.transactionSync(open)
  }

  /** Opens a table of small values, creating it if missing. */
  table<V, K extends Key = string>(name: string): Database<V, K> {
    return this.#root.openDB<V, K>({ name })
  }

  /** Opens a table of bytes, stored as they are. */
  bytes<K extends Key = string>(name: string): Database<Buffer, K> {
    return this.#root.openDB<Buffer, K>({ name, encoding: 'binary' })
  }

  /** Opens a table of records: plain JSON values, stored compressed. */
  documents<V, K extends Key = string>(name: string): Database<V, K> {
    return this.#root.openDB<V, K>({ name, ...recordsWith(this.#dictionary) })
  }

  /**
   * Opens a table of records stored as they are: compressing an order takes twice as long as storing
   * it, for a sixth of its bytes.
   */
  plainDocuments<V, K extends Key = string>(name: string): Database<V, K> {
    return this.#root.openDB<V, K>({ name, ...PLAIN_RECORDS })
  }

  /** The pages of each table, as LMDB counts them; none of them is read. */
  sizes(): TableSize[] {
    return this.read(() =>
      [...this.#root.getKeys()].map((key) => {
        const name = String(key)
        const stats = this.table(name).getStats() as Record<(typeof COUNTS)[number], number>
        const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages
        return { name, entries: stats.entryCount, bytes: pages * stats.pageSize }
      }),
    )
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * Runs `query`: it reads one snapshot of all tables, with everything written before. Throws
   * `StorageUnavailableError` when the store is closed or broken.
   */
  read<T>(query: () => T): T {
    this.#assertOpen()
    // lmdb keeps a snapshot for the rest of an event turn: nothing replaces it while `query` runs.
    this.#root.resetReadTxn()
    return query()
  }

  /**
   * Runs `action`, whose puts and removes of any table take effect together or, if it throws, not
   * at all. Reads in it see its own writes. Resolves when all is durable. Throws
   * `StorageUnavailableError`: `full` while disk or map have too little left, `io` when the transaction
   * could not be committed, which breaks the store.
   */
  async write<T>(action: () => T): Promise<T> {
    this.#assertOpen()
    try {
      return await this.#root.childTransaction(() => {
        this.#assertOwner()
        assertFree(this.directory, this.#minFreeBytes)
        assertMapRoom(this.directory, this.#mapBytes, this.#minFreeBytes)
        return action()
      })
    } catch (error) {
      if (error instanceof Error && 'commitError' in error) {
        throw this.#break(await Promise.resolve(error.commitError).catch(itself))
      }
      throw error
    }
  }

  /**
   * As `write`, but in groups: lmdb runs everything queued in one turn of the event loop, and many
   * large actions would block it for long. Small ones share a transaction; one that does not say
   * how many records it moves gets its own.
   */
  writeGrouped<T>(action: () => T, records = Infinity): Promise<T> {
    return this.#groups.run(records, () => this.write(action))
  }

  /** Throws `StorageUnavailableError` if so many bytes beside the store would leave too few for it. */
  assertRoom(bytes: number): void {
    assertFree(this.directory, this.#minFreeBytes + bytes)
  }

  /** Throws `StorageUnavailableError` when a write would not be durable now. */
  async probe(): Promise<void> {
    this.#probes += 1
    await this.write(() => this.#meta.putSync('probe', this.#probes))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#broken) return
    await this.#root
      .childTransaction(() => {
        assertFree(this.directory, OWNER_BYTES)
        if (this.#owners.get('owner')?.term === this.term) this.#release()
      })
      .catch(ignoreFailedRelease)
    await this.#root.close()
  }

  #takeOwnership(owners: Database<Owner, string>): number {
    const before = owners.get('owner')
    if (before && isRunning(before.process)) {
      throw new StorageUnavailableError(
        'in-use',
        `${this.directory} is in use by process ${before.process.pid}: stop it, or choose another DATA_DIR`,
      )
    }
    const term = (owners.get('last')?.term ?? 0) + 1
    const owner = { process: thisProcess(), term }
    owners.putSync('owner', owner)
    owners.putSync('last', owner)
    return term
  }

  #keepDictionary(): Buffer {
    const dictionaries = this.table<Buffer>(DICTIONARY.table)
    const kept = dictionaries.get(DICTIONARY.key)
    if (!kept) dictionaries.putSync(DICTIONARY.key, NEW_DICTIONARY)
    return kept ?? NEW_DICTIONARY
  }

  #release(): void {
    this.#owners.removeSync('owner')
  }

  #assertOpen(): void {
    if (this.#broken) throw this.#broken
    if (this.#closed) throw new StorageUnavailableError('closed', `${this.directory} is closed`)
  }

  // A process in another container is invisible: the later one wins, and this one stops.
  #assertOwner(): void {
    if (this.#owners.get('owner')?.term === this.term) return
    throw new StorageUnavailableError(
      'taken-over',
      `${this.directory} was taken over by another process`,
    )
  }

  /** LMDB's state in memory cannot be trusted after a failed commit (ADR 35). */
  #break(cause: unknown): StorageUnavailableError {
    if (this.#broken) return this.#broken
    const what = cause instanceof Error ? cause.message : String(cause)
    this.#broken = new StorageUnavailableError(
      'io',
      `${this.directory} could not be written: ${what}`,
      {
        cause,
      },
    )
    endProcess(this.#broken)
    return this.#broken
  }
}

const openEnvironment = (directory: string, mapBytes: number): RootDatabase =>
  open({
    ...environmentOf(directory, mapBytes),
    overlappingSync: false,
    // A batch that lmdb opens by itself for an event turn rejects a promise that nothing handles.
    eventTurnBatching: false,
  })

const itself = (reason: unknown): unknown => reason

/**
 * Like an uncaught exception: it is logged, what can be closed is closed, and the exit code is 1.
 */
function endProcess(fault: StorageUnavailableError): void {
  setImmediate(() => {
    throw fault
  })
}

// The owner's record then stays; it names a process that will never run again.
const ignoreFailedRelease = (): void => {}
