import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Database } from 'lmdb'
import type { HeadSigner } from '../../../domain/heads/sign-head.ts'
import type { OnPoint } from '../../../ports/log/crash-points.ts'
import type {
  EventLog,
  NewRecord,
  OpenWorker,
  PartitionState,
  WorkerOutput,
} from '../../../ports/log/event-log.ts'
import type { PartitionShares } from '../../../ports/log/partition-shares.ts'
import {
  PartitionsChangedError,
  StorageUnavailableError,
} from '../../../ports/log/storage-errors.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { KeyedWaiters } from '../../../runtime/waiters.ts'
import { TOPICS, type Topic } from '../../../schemas/log.ts'
import { ALL_TOPICS, CLEAN_UP } from '../../log/clean-up.ts'
import { consumePartition, type PartitionFailure } from '../../log/consume-partition.ts'
import { PartitionHeads } from '../../log/partition-heads.ts'
import { recordsOf, withEnd } from '../../log/step-records.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { LogTables } from './log-tables.ts'
import { SnapshotTables } from './snapshots.ts'

export interface LogOptions {
  store: LmdbStore
  partitions: number
  clock: Clock
  /** Milliseconds that records of a topic are kept, if different from the topic's own rule. */
  retentionMs?: Partial<Record<Topic, number>>
  /** Without one no heads are signed. */
  heads?: HeadSigner
  onPoint?: OnPoint
  /** A batch failed; its worker is reopened after `retryInMs`. */
  onFailure?: (failure: PartitionFailure) => void
}

const READ_BATCH = 500
const TRIM_BATCH = 1_000
const TRIM_EVERY_MS = 10 * 60_000

/** The event log in the LMDB environment of DATA_DIR, for one process. */
export class EmbeddedLog implements EventLog {
  readonly id: string
  readonly partitions: number
  readonly #options: LogOptions
  readonly #store: LmdbStore
  readonly #tables: LogTables
  readonly #snapshots: SnapshotTables
  /** Inbox offsets not consumed yet, by partition. */
  readonly #offsets: Database<number, number>
  /** Readers that wait for a topic's partition to grow: woken within the process, without polling. */
  readonly #wakes = new KeyedWaiters()
  readonly #onPoint: OnPoint

  /** Throws `PartitionsChangedError` when the log was created with another partition count. */
  static async open(options: LogOptions): Promise<EmbeddedLog> {
    const id = await keepSettings(options.store, options.partitions)
    return options.store.opening(() => new EmbeddedLog(options, id))
  }

  private constructor(options: LogOptions, id: string) {
    this.id = id
    this.#options = options
    this.#store = options.store
    this.partitions = options.partitions
    this.#onPoint = options.onPoint ?? (() => {})
    this.#tables = new LogTables(options.store)
    this.#snapshots = new SnapshotTables(options.store, (partition, key) =>
      this.#tables.latest(TOPICS.snapshots, partition, key),
    )
    this.#offsets = options.store.table('inbox offsets')
  }

  /** What `also` writes to the same store takes effect together with the records, or not at all. */
  async append(records: readonly NewRecord[], also?: () => void): Promise<void> {
    if (records.length === 0 && !also) return
    await this.#store.write(() => {
      this.#tables.append(records, this.#options.clock.now())
      also?.()
    })
    this.#wake(records)
  }

  async *read(topic: Topic, partition: number, from: number, signal: AbortSignal) {
    // One listener per reader is not a leak.
    setMaxListeners(0, signal)
    let next = from
    while (!signal.aborted) {
      if (this.#store.closed) throw new StorageUnavailableError('closed', 'the log is closed')
      const batch = this.#tables.range(topic, partition, next, READ_BATCH)
      const last = batch.at(-1)
      if (last) {
        next = last.offset + 1
        yield batch
        await this.#options.clock.turn()
      } else {
        await this.#wakes.next(placeOf(topic, partition), signal)
      }
    }
  }

  async *stored(topic: Topic, partition: number, from: number, until?: number) {
    const end = Math.min(this.#tables.end(topic, partition), until ?? Infinity)
    for (let next = from; next < end; ) {
      const limit = Math.min(READ_BATCH, end - next)
      const batch = this.#tables.range(topic, partition, next, limit)
      const last = batch.at(-1)
      if (!last) return
      next = last.offset + 1
      yield batch.filter(({ offset }) => offset < end)
      await this.#options.clock.turn()
    }
  }

  async end(topic: Topic, partition: number): Promise<number> {
    return this.#tables.end(topic, partition)
  }

  async consumed(partition: number): Promise<number> {
    return this.#committed(partition)
  }

  async processInbox(open: OpenWorker, signal: AbortSignal): Promise<void> {
    const partitions = Array.from({ length: this.partitions }, (_, partition) => partition)
    await Promise.all([
      ...partitions.map((partition) => this.#consume(partition, open, signal)),
      this.#trimUntil(signal),
    ])
  }

  /** Removes records past their retention; of the inbox only consumed ones. Returns how many. */
  async trim(): Promise<number> {
    let removed = 0
    await this.#store.writeGrouped(() => this.#tables.settle())
    for (const topic of ALL_TOPICS) {
      const { policy, ...rule } = { afterMs: 0, ...CLEAN_UP[topic] }
      if (policy !== 'delete') continue
      const kept = this.#options.retentionMs?.[topic] ?? rule.afterMs
      for (let partition = 0; partition < this.partitions; partition += 1) {
        removed += await this.#trimPartition(topic, partition, this.#options.clock.now() - kept)
      }
    }
    return removed
  }

  #consume(partition: number, open: OpenWorker, signal: AbortSignal): Promise<void> {
    const state: PartitionState = {
      partition,
      snapshots: this.#snapshots.of(partition),
      lifecycleEnd: () => this.#tables.end(TOPICS.lifecycle, partition),
    }
    const { heads: signer, clock } = this.#options
    let heads: PartitionHeads | null = null
    return consumePartition(
      {
        partition,
        open: async () => {
          heads = signer
            ? await PartitionHeads.resume({ partition, log: this, signer, clock })
            : null
          return await open(state)
        },
        batches: (aborted) =>
          this.read(TOPICS.inbox, partition, this.#committed(partition), aborted),
        commit: (output, next) => this.#commit(partition, output, next, heads),
        clock,
        onPoint: this.#onPoint,
        onFailure: this.#options.onFailure ?? (() => {}),
      },
      signal,
    )
  }

  #committed(partition: number): number {
    return this.#offsets.get(partition) ?? 0
  }

  async #commit(
    partition: number,
    output: WorkerOutput,
    next: number,
    heads: PartitionHeads | null,
  ): Promise<void> {
    const end = this.#tables.end(TOPICS.lifecycle, partition) + output.lifecycle.length
    const snapshots = output.snapshots.map((snapshot) => withEnd(snapshot, end))
    const written = { ...output, snapshots }
    const head = heads?.next(written, end)
    const records = [...recordsOf(partition, written), ...(head?.records ?? [])]
    await this.#store.writeGrouped(() => {
      this.#onPoint('before append')
      this.#snapshots.index(partition, snapshots)
      this.#tables.append(records, this.#options.clock.now())
      this.#onPoint('after append')
      this.#onPoint('before offset')
      this.#offsets.putSync(partition, next)
    }, records.length)
    this.#onPoint('after offset')
    if (head) heads?.committed(head)
    this.#wake(records)
  }

  #wake(records: readonly NewRecord[]): void {
    const places = new Set(records.map(({ topic, partition }) => placeOf(topic, partition)))
    for (const place of places) this.#wakes.tell(place)
  }

  async #trimUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A full disk must not stop the partitions: the removal is retried later.
      await this.trim().catch((error: unknown) =>
        this.#options.onFailure?.({ partition: null, error, retryInMs: TRIM_EVERY_MS }),
      )
      await this.#options.clock.sleep(TRIM_EVERY_MS, signal)
    }
  }

  async #trimPartition(topic: Topic, partition: number, before: number): Promise<number> {
    let removed = 0
    for (;;) {
      const end = topic === TOPICS.inbox ? this.#committed(partition) : Infinity
      const old = this.#tables.expired(topic, partition, before, end, TRIM_BATCH)
      if (old.length === 0) return removed
      await this.#store.writeGrouped(() => this.#tables.remove(topic, partition, old))
      removed += old.length
    }
  }
}

const placeOf = (topic: Topic, partition: number): string => `${topic} ${partition}`

/**
 * Checks the settings that a log was made with, or stores the settings of a new log. Returns the
 * log's id. Throws `PartitionsChangedError`.
 */
async function keepSettings(store: LmdbStore, partitions: number): Promise<string> {
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

/** For a log that only this process has open: it has all partitions. */
export const allPartitions = (partitions: number): PartitionShares => ({
  async share(work, signal) {
    await Promise.all(Array.from({ length: partitions }, (_, partition) => work(partition, signal)))
  },
})
