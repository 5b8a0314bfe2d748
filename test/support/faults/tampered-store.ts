import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'lmdb'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { LogTables } from '../../../src/adapters/embedded/log/log-tables.ts'
import { connectChdb } from '../../../src/adapters/embedded/stores/history.ts'
import { isSealed, sealChange } from '../../../src/domain/order/change-chain.ts'
import {
  type ChangeRecord,
  LifecycleRecord,
  SnapshotRecord,
  TOPICS,
  type Topic,
  type Watermark,
} from '../../../src/schemas/log.ts'
import { temporaryDirectory } from '../embedded.ts'

type Entry = [at: number, key: string, value: unknown]
type Place = [partition: number, offset: number]

/** A record of the log with its position. */
export interface Standing<T = unknown> {
  place: Place
  value: T
}

/** The store of a stopped service, opened below everything that protects it. */
export class TamperedStore {
  readonly dataDir: string
  readonly store: LmdbStore

  private constructor(dataDir: string, store: LmdbStore) {
    this.dataDir = dataDir
    this.store = store
  }

  /** Tampers with a copy of a service's folder. Returns the copy, and how to remove it. */
  static async copyOf(
    dataDir: string,
    tamper: (store: TamperedStore) => Promise<void> | void,
  ): Promise<{ dataDir: string; drop(): void }> {
    const folder = temporaryDirectory()
    const copy = join(folder.path, 'data')
    cpSync(dataDir, copy, { recursive: true })
    const store = await LmdbStore.open(join(copy, 'store'))
    try {
      await store.write(() => new LogTables(store).settle())
      await tamper(new TamperedStore(copy, store))
    } finally {
      await store.close()
    }
    return { dataDir: copy, drop: folder.drop }
  }

  table<V>(name: string): Database<V, string> {
    return this.store.table(name)
  }

  documents<V>(name: string): Database<V, string> {
    return this.store.documents(name)
  }

  /** By partition. */
  numbers(name: string): Database<number, number> {
    return this.store.table(name)
  }

  records(topic: Topic): Standing[] {
    return [...this.#topic(topic).getRange()].map(({ key, value }) => ({
      place: key,
      value: value[2],
    }))
  }

  /** The changes of an order, first to last. */
  changes(orderId: string): Standing<ChangeRecord>[] {
    return this.records(TOPICS.lifecycle).flatMap(({ place, value }) => {
      const record = LifecycleRecord.parse(value)
      return record.kind !== 'outcome' && record.orderId === orderId
        ? [{ place, value: record }]
        : []
    })
  }

  put(topic: Topic, place: Place, value: unknown): void {
    const before = this.#topic(topic).get(place)
    this.#topic(topic).putSync(place, [before?.[0] ?? Date.now(), before?.[1] ?? '', value])
  }

  remove(topic: Topic, place: Place): void {
    this.#topic(topic).removeSync(place)
  }

  append(topic: Topic, partition: number, value: unknown): Place {
    const offsets = this.records(topic).flatMap(({ place }) =>
      place[0] === partition ? place[1] : [],
    )
    const place: Place = [partition, Math.max(-1, ...offsets) + 1]
    this.put(topic, place, value)
    return place
  }

  /** The last watermark that each partition consumed. */
  watermarks(): [partition: number, Watermark][] {
    return this.records(TOPICS.snapshots).flatMap(({ place, value }): [number, Watermark][] => {
      const snapshot = SnapshotRecord.parse(value)
      return snapshot.kind === 'partition' && snapshot.watermark
        ? [[place[0], snapshot.watermark]]
        : []
    })
  }

  /** Runs statements on the history of the same folder. */
  async history(...statements: string[]): Promise<void> {
    const engine = await connectChdb(join(this.dataDir, 'history'))
    try {
      for (const sql of statements) await engine.run(sql)
    } finally {
      await engine.close()
    }
  }

  #topic(topic: Topic): Database<Entry, Place> {
    return this.store.documents(`log ${topic}`)
  }
}

/**
 * A change with other content and a matching hash: what only a forger with the code would write.
 */
export function forged(change: ChangeRecord, other: Partial<ChangeRecord>): ChangeRecord {
  const { hash: _hash, ...content } = { ...change, ...other }
  const sealed = sealChange(content)
  if (!isSealed(sealed)) throw new Error('a forged change has its own hash')
  return sealed
}
