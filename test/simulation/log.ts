import { MemorySnapshots } from '../../src/actors/memory-snapshots.ts'
import { storedWith } from '../../src/adapters/log/inbox-news.ts'
import {
  deadLetters,
  lifecycleRecords,
  partitionKey,
  snapshotKey,
  snapshotRecords,
  withEnd,
} from '../../src/adapters/log/step-records.ts'
import type { NewRecord, Stored, WorkerOutput } from '../../src/ports/log/event-log.ts'
import {
  type PartitionSnapshot,
  type SnapshotRecord,
  TOPICS,
  type Topic,
} from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { Scheduler } from './scheduler.ts'

/** A transaction of the real log is followed by a marker: offsets have holes. */
const HOLES = 0.3

interface Place {
  records: Stored<unknown>[]
  /** At least the next record's offset. */
  next: number
  /** Run at every append. */
  waiting: Set<() => void>
}

/** Observers of everything that the log accepts, in order. */
export interface LogListener {
  appended(record: NewRecord, offset: number): void
  committed(partition: number, snapshots: readonly SnapshotRecord[]): void
}

/** The log itself: its records are durable, and every write is all or nothing. */
export class SimLog {
  readonly partitions: number
  readonly #scheduler: Scheduler
  readonly #listener: LogListener
  readonly #places = new Map<Topic, Place[]>()
  readonly #consumed: number[]
  /** The inbox offset of each partition below which nothing is retained. */
  readonly #kept: number[]
  /** The last snapshot under each key, by partition: what compaction leaves. */
  readonly #latest: Map<string, SnapshotRecord>[]

  constructor(partitions: number, scheduler: Scheduler, listener: LogListener) {
    this.partitions = partitions
    this.#scheduler = scheduler
    this.#listener = listener
    this.#consumed = Array.from({ length: partitions }, () => 0)
    this.#kept = Array.from({ length: partitions }, () => 0)
    this.#latest = Array.from({ length: partitions }, () => new Map())
  }

  append(records: readonly NewRecord[]): void {
    const touched = new Set<Place>()
    for (const record of records) {
      const { topic, partition, key, value } = record
      const place = this.#place(topic, partition)
      const offset = place.next++
      place.records.push(storedWith(topic, key, { partition, offset, value }))
      touched.add(place)
      this.#listener.appended(record, offset)
    }
    for (const place of touched) {
      if (this.#scheduler.dice.chance(HOLES)) place.next += 1
      for (const wake of [...place.waiting]) wake()
    }
  }

  /** All output of a step, with the offset, at once; the snapshots as stored. */
  commit(partition: number, output: WorkerOutput, next: number): readonly SnapshotRecord[] {
    this.append(lifecycleRecords(partition, output))
    const end = this.end(TOPICS.lifecycle, partition)
    const snapshots = output.snapshots.map((snapshot) => withEnd(snapshot, end))
    this.append([...snapshotRecords(partition, snapshots), ...deadLetters(partition, output)])
    for (const snapshot of snapshots)
      this.#latest[partition]?.set(snapshotKey(partition, snapshot), snapshot)
    this.#consumed[partition] = next
    this.#listener.committed(partition, snapshots)
    return snapshots
  }

  consumed(partition: number): number {
    return this.#consumed[partition] ?? 0
  }

  /** After the last record; what follows a hole is not known yet. */
  end(topic: Topic, partition: number): number {
    return (this.#place(topic, partition).records.at(-1)?.offset ?? -1) + 1
  }

  range(topic: Topic, partition: number, from: number, limit: number): Stored<unknown>[] {
    const { records } = this.#place(topic, partition)
    const start = firstFrom(records, from)
    return records.slice(start, start + limit)
  }

  /** Runs `wake` at every append there, until the returned function is called. */
  onAppend(topic: Topic, partition: number, wake: () => void): () => void {
    const { waiting } = this.#place(topic, partition)
    waiting.add(wake)
    return () => waiting.delete(wake)
  }

  /** Unconsumed inbox records. */
  waiting(partition: number): readonly Stored<unknown>[] {
    const { records } = this.#place(TOPICS.inbox, partition)
    return records.slice(firstFrom(records, this.consumed(partition)))
  }

  /** The oldest waiting records are past their retention, with everything before them. */
  trimInbox(partition: number, count: number): void {
    const { records } = this.#place(TOPICS.inbox, partition)
    const lost = records.splice(0, firstFrom(records, this.consumed(partition)) + count)
    this.#kept[partition] = (lost.at(-1)?.offset ?? -1) + 1
  }

  /** Were inbox records lost before they were consumed? */
  hasGap(partition: number): boolean {
    return this.consumed(partition) < (this.#kept[partition] ?? 0)
  }

  /** Only the last snapshot under each key remains. */
  compact(): void {
    for (const [partition, latest] of this.#latest.entries()) {
      const place = this.#place(TOPICS.snapshots, partition)
      const kept = new Set<unknown>(latest.values())
      place.records = place.records.filter(({ value }) => kept.has(value))
    }
  }

  /** The snapshots of a partition as a new owner reads them. */
  snapshots(partition: number): MemorySnapshots {
    const snapshots = new MemorySnapshots()
    snapshots.put([...(this.#latest[partition]?.values() ?? [])])
    return snapshots
  }

  /** What a partition's host has consumed, as its last snapshot says. */
  progress(partition: number): PartitionSnapshot | undefined {
    const snapshot = this.#latest[partition]?.get(partitionKey(partition))
    return snapshot?.kind === 'partition' ? snapshot : undefined
  }

  /** Every order by its last snapshot. */
  orders(): OrderRecord[] {
    return this.#latest.flatMap((latest) =>
      [...latest.values()].flatMap((snapshot) => (snapshot.kind === 'order' ? snapshot.order : [])),
    )
  }

  #place(topic: Topic, partition: number): Place {
    const places = this.#places.get(topic) ?? []
    this.#places.set(topic, places)
    places[partition] ??= { records: [], next: 0, waiting: new Set() }
    return places[partition]
  }
}

/** The index of the first record at or after an offset. */
function firstFrom(records: readonly Stored<unknown>[], offset: number): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((records[middle]?.offset ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}
