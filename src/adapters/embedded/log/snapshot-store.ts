import type { Database } from 'lmdb'
import {
  NO_LOG,
  type SnapshotPosition,
  type SnapshotStore,
} from '../../../ports/log/snapshot-store.ts'
import type { SnapshotRecord } from '../../../schemas/log.ts'
import { snapshotKey } from '../../log/step-records.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { compareEntries, type SnapshotEntry, SnapshotTables } from './snapshots.ts'

/** Ids are hex, and the partition's own key begins with a later letter, but below this. */
const BEYOND_KEYS = '~'
/** Removed in one write: more would block the event loop for too long. */
const FORGET_AT_ONCE = 1_000
/** Entries written in one write. */
const ENTERED_AT_ONCE = 2_000

/**
 * Durable snapshots of a log kept elsewhere, in the environment of DATA_DIR; closed by its opener.
 */
export class EmbeddedSnapshotStore implements SnapshotStore {
  readonly #store: LmdbStore
  readonly #values: Database<SnapshotRecord, [partition: number, key: string]>
  readonly #positions: Database<SnapshotPosition, number>
  readonly #tables: SnapshotTables

  constructor(store: LmdbStore) {
    this.#store = store
    this.#values = store.plainDocuments('snapshot copies')
    this.#positions = store.table('snapshot positions')
    this.#tables = new SnapshotTables(store, (partition, key) => this.#values.get([partition, key]))
  }

  of(partition: number) {
    return this.#tables.of(partition)
  }

  position(partition: number): SnapshotPosition | null {
    return this.#positions.get(partition) ?? null
  }

  async apply(
    partition: number,
    snapshots: readonly SnapshotRecord[],
    position: SnapshotPosition,
  ): Promise<void> {
    await this.#store.writeGrouped(() => {
      this.#tables.index(partition, snapshots)
      for (const value of snapshots) {
        this.#values.putSync([partition, snapshotKey(partition, value)], value)
      }
      this.#positions.putSync(partition, position)
    })
  }

  async restore(
    partition: number,
    parts: Iterable<readonly SnapshotRecord[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const entries: SnapshotEntry[] = []
    for (const snapshots of parts) {
      signal.throwIfAborted()
      await this.#store.writeGrouped(() => {
        for (const value of snapshots) {
          if (value.kind === 'order')
            entries.push(...this.#tables.indexLater(partition, value.order))
          this.#values.putSync([partition, snapshotKey(partition, value)], value)
        }
      })
    }
    // Most keys are hashes: in any other order each write would touch as many pages as it has entries.
    entries.sort(compareEntries)
    for (let at = 0; at < entries.length; at += ENTERED_AT_ONCE) {
      signal.throwIfAborted()
      const some = entries.slice(at, at + ENTERED_AT_ONCE)
      await this.#store.writeGrouped(() => this.#tables.enter(some))
    }
  }

  async clear(partition: number): Promise<void> {
    // A clearing that is interrupted is made again as long as there is a position.
    const cleared = { logId: NO_LOG, snapshots: 0, inbox: 0, lifecycleEnd: 0 }
    await this.#store.writeGrouped(() => {
      this.#positions.putSync(partition, cleared)
      this.#tables.forget(partition)
    })
    for (;;) {
      const range = { start: [partition, ''], end: [partition, BEYOND_KEYS], limit: FORGET_AT_ONCE }
      const keys = [...this.#values.getKeys(range)]
      if (keys.length === 0) break
      await this.#store.writeGrouped(() => {
        for (const key of keys) this.#values.removeSync(key)
      })
    }
    await this.#store.writeGrouped(() => this.#positions.removeSync(partition))
  }
}
