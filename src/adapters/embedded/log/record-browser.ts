import type {
  BrowsedRange,
  BrowsedRecord,
  BrowsedTopic,
  RecordBrowser,
} from '../../../ports/log/record-browser.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Topic } from '../../../schemas/log.ts'
import { ALL_TOPICS, CLEAN_UP } from '../../log/clean-up.ts'
import { topicPartitionsOf } from '../../log/topic-partitions.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { LogTables, tableOfTopic } from './log-tables.ts'

/** Records read before the event loop runs again. */
const AT_ONCE = 200

/** Reads the log in the LMDB environment of DATA_DIR. */
export class EmbeddedRecordBrowser implements RecordBrowser {
  readonly #store: LmdbStore
  readonly #tables: LogTables
  readonly #partitions: number
  readonly #clock: Pick<Clock, 'turn'>

  constructor(store: LmdbStore, partitions: number, clock: Pick<Clock, 'turn'>) {
    this.#store = store
    this.#tables = new LogTables(store)
    this.#partitions = partitions
    this.#clock = clock
  }

  /**
   * Newest records of several topics share a table: they are not in the bytes of their topic, which are
   * not known where it has no others.
   */
  async topics(): Promise<BrowsedTopic[]> {
    const bytesOf = new Map(this.#store.sizes().map(({ name, bytes }) => [name, bytes]))
    const found: BrowsedTopic[] = []
    for (const topic of ALL_TOPICS) {
      const { policy, afterMs = null } = { afterMs: null, ...CLEAN_UP[topic] }
      const ranges = await this.ranges(topic)
      const isEmpty = ranges.every(({ first, end }) => first === end)
      const bytes = isEmpty ? 0 : bytesOf.get(tableOfTopic(topic)) || null
      found.push({ topic, ranges, bytes, cleanUp: { policy, afterMs } })
      await this.#clock.turn()
    }
    return found
  }

  async ranges(topic: Topic): Promise<BrowsedRange[]> {
    return this.#store.read(() =>
      this.#partitionsOf(topic).map((partition) => ({
        partition,
        first: this.#tables.first(topic, partition),
        end: this.#tables.end(topic, partition),
      })),
    )
  }

  async offsetsAt(topic: Topic, time: number): Promise<number[]> {
    return this.#store.read(() =>
      this.#partitionsOf(topic).map((partition) => this.#tables.firstSince(topic, partition, time)),
    )
  }

  async *between(topic: Topic, partition: number, from: number, to: number, signal: AbortSignal) {
    for (let next = from; next < to && !signal.aborted; ) {
      const batch = this.#store.read(() =>
        this.#tables.entries(topic, partition, next, Math.min(AT_ONCE, to - next)),
      )
      const last = batch.at(-1)
      if (!last) return
      next = last.offset + 1
      yield batch
        .filter(({ offset }) => offset < to)
        .map((entry): BrowsedRecord => ({ ...entry, partition, headers: {} }))
      await this.#clock.turn()
    }
  }

  #partitionsOf(topic: Topic): number[] {
    const count = topicPartitionsOf(topic, this.#partitions)
    return Array.from({ length: count }, (_, partition) => partition)
  }
}
