import PQueue from 'p-queue'
import { OperatorError } from '../../../ports/base-errors.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { TOPICS } from '../../../schemas/log.ts'
import { commitPositionOf } from '../client/codec.ts'
import { type KafkaTopic, OWN_TOPICS } from '../client/names.ts'
import { type Fetched, fetchedUpTo } from '../client/reader.ts'
import { COPIED_FIRST, type CopiedPlace, copiedPlaces, isCompacted } from './copied-topics.ts'
import { type CopiedRecord, copiedRecordOf } from './raw-record.ts'

/** The log as it is copied: offsets and records as Kafka has them. */
export interface CopiedLog {
  readonly partitions: number
  /** The offset of the next record. */
  end(topic: KafkaTopic, partition: number): Promise<number>
  /** The first offset that still exists. */
  firstOffset(topic: KafkaTopic, partition: number): Promise<number>
  /** From an offset on, until the signal aborts. */
  readRaw(
    topic: KafkaTopic,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<Fetched>
}

/** What an order partition had committed together, at one moment. */
export interface PartitionCut {
  /** The offset of the snapshot that says so; null: it has none yet. */
  snapshot: number | null
  /** The offset from which the inbox is to be consumed. */
  inbox: number
  /** The offset after the last lifecycle record. */
  lifecycleEnd: number
}

/** Where a copy is kept. */
export interface LogCopy {
  /** The offset at which the copy of a partition continues. */
  next(place: CopiedPlace): number
  /** What the copy has of a partition is dropped: it begins again, at this offset. */
  beginAgain(place: CopiedPlace, offset: number): void
  /** Records in order, and the offset of the next one. */
  put(place: CopiedPlace, records: readonly CopiedRecord[], next: number): Promise<void>
  /** Where a partition ended in the log: a copy is as long, whatever it has of the last records. */
  ends(place: CopiedPlace, end: number): void
  /** What was last committed, by partition. */
  cuts: PartitionCut[]
}

/** The log cannot be copied as it is; the message names the cure. */
export class LogNotCopiedError extends OperatorError {
  override name = 'LogNotCopiedError'
}

/** Ingest's. */
const STATE: CopiedPlace = { topic: OWN_TOPICS.ingest, partition: 0 }
/** Partitions that are read at once. */
const AT_ONCE = 4
/** A round that took no longer is the last: what came meanwhile is little. */
const SHORT_ROUND_MS = 5_000
const MAX_ROUNDS = 10
/** Until the writer of a partition has no transaction open. */
const QUIET_WITHIN_MS = 60_000
const QUIET_AGAIN_MS = 20

/**
 * Adds to a copy what was committed since, while the service writes. At its end the copy is of one
 * moment, as a crash of everything would leave it: lifecycle, snapshots and dead letters of a partition
 * end with the same commit, the inbox continues at that commit's offset, and ingest's state is no older
 * than the news in the inbox.
 *
 * @throws LogNotCopiedError, StorageUnavailableError
 */
export async function copyLog(log: CopiedLog, copy: LogCopy, clock: Clock): Promise<void> {
  const copier = new Copier(log, copy, clock)
  await copier.run()
}

class Copier {
  readonly #log: CopiedLog
  readonly #copy: LogCopy
  readonly #clock: Clock
  /** The last record of ingest's state; the marker of its transaction follows it. */
  #lastState: number | null = null

  constructor(log: CopiedLog, copy: LogCopy, clock: Clock) {
    this.#log = log
    this.#copy = copy
    this.#clock = clock
  }

  async run(): Promise<void> {
    await inGroups(copiedPlaces(COPIED_FIRST, this.#log.partitions), (place) =>
      this.#copyToEnd(place),
    )
    const partitions = Array.from({ length: this.#log.partitions }, (_, partition) => partition)
    for (let round = 1; ; round += 1) {
      const begun = this.#clock.monotonic()
      await this.#copyToEnd(STATE)
      await inGroups(partitions, (partition) => this.#copyCommits(partition))
      if (this.#clock.monotonic() - begun <= SHORT_ROUND_MS || round === MAX_ROUNDS) break
    }
    await inGroups(partitions, (partition) => this.#copyDead(partition))
    const ends = await this.#copyState(partitions)
    await inGroups(partitions, (partition) => this.#copyInbox(partition, ends[partition] ?? 0))
  }

  async #copyToEnd(place: CopiedPlace): Promise<void> {
    await this.#copyTo(place, await this.#log.end(place.topic, place.partition))
  }

  /** Up to a commit of the partition's owner: whatever that one wrote in one transaction is in it. */
  async #copyCommits(partition: number): Promise<void> {
    const snapshots: CopiedPlace = { topic: TOPICS.snapshots, partition }
    const until = this.#clock.monotonic() + QUIET_WITHIN_MS
    for (;;) {
      const end = await this.#log.end(TOPICS.snapshots, partition)
      await this.#copyTo(snapshots, end)
      // The marker of a transaction follows its last record.
      const { snapshot } = this.#cut(partition)
      if (snapshot === null || snapshot + 1 < end) break
      if (this.#clock.monotonic() > until)
        throw new LogNotCopiedError(
          `partition ${partition} was being written for ${QUIET_WITHIN_MS / 1_000} s: run it again`,
        )
      await this.#clock.sleep(QUIET_AGAIN_MS)
    }
    const lifecycle: CopiedPlace = { topic: TOPICS.lifecycle, partition }
    await this.#copyTo(lifecycle, this.#cut(partition).lifecycleEnd)
    this.#copy.ends(lifecycle, await this.#log.end(TOPICS.lifecycle, partition))
  }

  /** Letters about what was consumed by then; they are few, so all are read. */
  async #copyDead(partition: number): Promise<void> {
    const place: CopiedPlace = { topic: TOPICS.dead, partition }
    const { inbox } = this.#cut(partition)
    const end = await this.#log.end(TOPICS.dead, partition)
    this.#copy.beginAgain(place, await this.#log.firstOffset(TOPICS.dead, partition))
    await this.#copyTo(place, end, (letter) => {
      const position = commitPositionOf(letter)
      return position === null || position.inbox <= inbox
    })
  }

  /** What is not consumed yet. Earlier records have had their effects. */
  async #copyInbox(partition: number, end: number): Promise<void> {
    const place: CopiedPlace = { topic: TOPICS.inbox, partition }
    const first = await this.#log.firstOffset(TOPICS.inbox, partition)
    const from = Math.max(first, this.#cut(partition).inbox)
    this.#copy.beginAgain(place, from)
    await this.#copyTo(place, Math.max(from, end))
  }

  /**
   * Ingest's state, and the ends of the inbox while it was so: else it would lack news that is in the inbox,
   * or know of news that is not.
   */
  async #copyState(partitions: readonly number[]): Promise<number[]> {
    const until = this.#clock.monotonic() + QUIET_WITHIN_MS
    for (;;) {
      const end = await this.#log.end(STATE.topic, 0)
      const news = partitions.map((partition) => this.#log.end(TOPICS.inbox, partition))
      const ends = await Promise.all(news)
      if ((await this.#log.end(STATE.topic, 0)) === end) {
        await this.#copyTo(STATE, end)
        if (this.#lastState === null || this.#lastState + 1 < end) return ends
      }
      if (this.#clock.monotonic() > until)
        throw new LogNotCopiedError(
          `ingest wrote without a pause for ${QUIET_WITHIN_MS / 1_000} s: run it again`,
        )
      await this.#clock.sleep(Math.random() * QUIET_AGAIN_MS)
    }
  }

  async #copyTo(
    place: CopiedPlace,
    end: number,
    isWanted: (record: CopiedRecord) => boolean = () => true,
  ): Promise<void> {
    const { topic, partition } = place
    const from = this.#copy.next(place)
    const first = await this.#log.firstOffset(topic, partition)
    if (first > from && !isCompacted(topic)) {
      throw new LogNotCopiedError(
        `records of ${topic} were deleted before they were copied: partition ${partition} begins at ${first}, not ${from}; give a new folder`,
      )
    }
    if (from > end) {
      throw new LogNotCopiedError(
        `${topic} ends at ${end} in partition ${partition}, but the backup at ${from}: its last records are gone; give a new folder`,
      )
    }
    if (from < end) await this.#read(place, from, end, isWanted)
    this.#copy.ends(place, end)
  }

  async #read(
    place: CopiedPlace,
    from: number,
    end: number,
    isWanted: (record: CopiedRecord) => boolean,
  ): Promise<void> {
    const { topic, partition } = place
    const read = (until: AbortSignal) => this.#log.readRaw(topic, partition, from, until)
    for await (const { messages, next } of fetchedUpTo(end, read)) {
      const records = messages.map(copiedRecordOf).filter(({ offset }) => offset < end)
      const last = records.at(-1)
      await this.#copy.put(place, records.filter(isWanted), Math.min(next, end))
      if (topic === TOPICS.snapshots && last) this.#note(partition, last)
      if (topic === STATE.topic && last) this.#lastState = last.offset
    }
  }

  #note(partition: number, last: CopiedRecord): void {
    const position = commitPositionOf(last)
    if (position) this.#copy.cuts[partition] = { snapshot: last.offset, ...position }
  }

  #cut(partition: number): PartitionCut {
    const cut = this.#copy.cuts[partition]
    if (!cut) throw new Error(`there is no partition ${partition}`)
    return cut
  }
}

async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = new PQueue({ concurrency: AT_ONCE })
  await Promise.all(items.map((item) => queue.add(() => work(item))))
}
