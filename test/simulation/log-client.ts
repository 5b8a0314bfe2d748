import { setMaxListeners } from 'node:events'
import { MemorySnapshots } from '../../src/actors/memory-snapshots.ts'
import { consumePartition } from '../../src/adapters/log/consume-partition.ts'
import type {
  EventLog,
  NewRecord,
  OpenWorker,
  PartitionState,
  Stored,
  WorkerOutput,
} from '../../src/ports/log/event-log.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { TOPICS, type Topic } from '../../src/schemas/log.ts'
import { type Group, whileAssigned } from './group.ts'
import type { SimLog } from './log.ts'
import type { Process } from './process.ts'

export interface LogClientParts {
  log: SimLog
  group: Group
  process: Process
  /**
   * Is this process still the single writer that it was at its start? Always, except for ingest.
   */
  isWriter?: () => boolean
  /** Records of one read. */
  batchOf(): number
  /** Until a reader is notified of a new record. */
  wakeMs(): number
  onFailure(error: unknown): void
}

const unavailable = () => new StorageUnavailableError('io', 'simulated: no answer of the log')
const fenced = () => new StorageUnavailableError('taken-over', 'simulated: fenced by a successor')

/** The log as one process sees it. */
export class LogClient implements EventLog {
  readonly id = 'simulated'
  readonly partitions: number
  readonly #parts: LogClientParts

  constructor(parts: LogClientParts) {
    this.#parts = parts
    this.partitions = parts.log.partitions
  }

  append(records: readonly NewRecord[]): Promise<void> {
    const { process, log, isWriter = () => true } = this.#parts
    return process.call({
      kind: 'write',
      name: 'log.append',
      effect: () => {
        if (!isWriter()) throw fenced()
        log.append(records)
      },
      trouble: unavailable,
    })
  }

  async *read(topic: Topic, partition: number, from: number, signal: AbortSignal) {
    const { process, log, batchOf } = this.#parts
    setMaxListeners(0, signal)
    let next = from
    while (!signal.aborted) {
      const batch = await process.call({
        kind: 'read',
        name: 'log.read',
        effect: () => log.range(topic, partition, next, batchOf()),
        trouble: unavailable,
      })
      const last: Stored<unknown> | undefined = batch.at(-1)
      if (last) {
        next = last.offset + 1
        yield batch
      } else {
        await this.#more(topic, partition, next, signal)
      }
    }
  }

  async *stored(topic: Topic, partition: number, from: number) {
    const { log } = this.#parts
    const end = log.end(topic, partition)
    if (from < end) yield log.range(topic, partition, from, end - from)
  }

  async end(topic: Topic, partition: number): Promise<number> {
    return this.#parts.log.end(topic, partition)
  }

  async consumed(partition: number): Promise<number> {
    return this.#parts.log.consumed(partition)
  }

  async processInbox(open: OpenWorker, signal: AbortSignal): Promise<void> {
    const { process, group } = this.#parts
    await whileAssigned(
      group,
      process,
      (partition, generation, stop) =>
        this.#consume(partition, new OwnedPartition(generation, stop), open),
      signal,
    )
  }

  #consume(partition: number, owned: OwnedPartition, open: OpenWorker): Promise<void> {
    const { log, process, onFailure } = this.#parts
    const { signal } = owned.stop
    setMaxListeners(0, signal)
    return consumePartition(
      {
        partition,
        open: async () => open(await this.#take(partition, owned)),
        batches: (until) => this.read(TOPICS.inbox, partition, log.consumed(partition), until),
        commit: (output, next) => this.#commit(partition, owned, output, next),
        clock: process.clock,
        onPoint: () => {},
        onFailure: ({ error }) => onFailure(error),
      },
      signal,
    )
  }

  /** What a new owner reads before it begins: everything committed, by any owner. */
  async #take(partition: number, owned: OwnedPartition): Promise<PartitionState> {
    const { process, log } = this.#parts
    await process.call({
      kind: 'read',
      name: `log.take ${partition}`,
      effect: () => {
        owned.snapshots = log.snapshots(partition)
        owned.end = log.end(TOPICS.lifecycle, partition)
        owned.hasGap = log.hasGap(partition)
      },
      trouble: unavailable,
    })
    const { snapshots, hasGap } = owned
    return { partition, snapshots, hasGap, lifecycleEnd: () => owned.end }
  }

  #commit(
    partition: number,
    owned: OwnedPartition,
    output: WorkerOutput,
    next: number,
  ): Promise<void> {
    const { process, log, group } = this.#parts
    return process.call({
      kind: 'write',
      name: `log.commit ${partition}`,
      effect: () => {
        if (!group.owns(process, partition, owned.generation)) {
          owned.stop.abort()
          throw fenced()
        }
        owned.snapshots.put(log.commit(partition, output, next))
        owned.end = log.end(TOPICS.lifecycle, partition)
      },
      trouble: unavailable,
    })
  }

  #more(topic: Topic, partition: number, next: number, signal: AbortSignal): Promise<void> {
    const { process, log, wakeMs } = this.#parts
    return new Promise((resolve) => {
      const done = () => {
        stop()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const check = () => {
        if (log.end(topic, partition) > next) process.later(wakeMs(), 'log wakes', done)
      }
      const stop = log.onAppend(topic, partition, check)
      process.onDeath(stop)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
      else check()
    })
  }
}

/** A partition being consumed here, with the state that its worker reads. */
class OwnedPartition {
  readonly generation: number
  readonly stop: AbortController
  snapshots = new MemorySnapshots()
  end = 0
  hasGap = false

  constructor(generation: number, stop: AbortController) {
    this.generation = generation
    this.stop = stop
  }
}
