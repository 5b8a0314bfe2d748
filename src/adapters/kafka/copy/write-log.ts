import { BATCH_BYTES, batchBytesOf } from '../client/batches.ts'
import type { KafkaTopic } from '../client/names.ts'
import type { OffsetWriter, RawBatch, WrittenBatch } from './offset-writer.ts'
import type { CopiedRecord, RawRecord } from './raw-record.ts'

/** A partition to be written into an empty one, each record at its own offset. */
export interface PartToWrite {
  topic: KafkaTopic
  partition: number
  /** The offset that the next record after these is to have. */
  end: number
  /** The offset after the last one without a record; null: all have one. */
  afterHole: number | null
  /** In order. */
  records: AsyncIterable<readonly CopiedRecord[]>
}

/** The broker gave a record another offset: others write to the same partitions. */
export class OffsetTakenError extends Error {
  override name = 'OffsetTakenError'
}

/** Records of one batch, and bytes of all batches of a round. */
const BATCH_RECORDS = 10_000
const ROUND_BYTES = 2 ** 24
/** Offsets filled by one batch. */
const FILLED_AT_ONCE = 100_000
/** A transaction is open for hardly longer: brokers abort one after minutes. */
const TRANSACTION_MS = 60_000
/** Compacted topics take no record without a key. */
const FILLER_KEY = Buffer.from('x')

/**
 * Writes all partitions in rounds: one batch of each in a round. Offsets without a record are filled by
 * one transaction over all of them, which is aborted when every partition of it has come to a hole: there,
 * its marker is the last offset of the hole. A hole of one offset is such a marker, or a record of the
 * transaction.
 *
 * @throws OffsetTakenError
 */
export async function writeLog(
  writer: OffsetWriter,
  prefix: string,
  parts: readonly PartToWrite[],
  monotonic: () => number,
): Promise<void> {
  const cursors = parts.map((part) => new PartCursor(prefix, part))
  let begun = monotonic()
  for (;;) {
    const isOpen = cursors.some(({ hasJoined }) => hasJoined)
    const isEnding = isOpen && monotonic() - begun > TRANSACTION_MS
    const { writes, fills, joining, isOver } = await nextRound(cursors, isEnding)
    if (isOver) return
    if (joining.length > 0) {
      if (!isOpen) begun = monotonic()
      await writer.join(joining)
      for (const cursor of joining) cursor.hasJoined = true
    }
    if (writes.length + fills.length === 0) {
      // Each partition of the transaction waits at the place of its marker.
      await writer.abort()
      for (const cursor of cursors) cursor.marked()
      continue
    }
    const written = await Promise.all([
      writes.length > 0 ? writer.write(writes.map(({ batch }) => batch)) : [],
      fills.length > 0 ? writer.fill(fills.map(({ batch }) => batch)) : [],
    ])
    for (const { cursor, batch } of [...writes, ...fills]) cursor.written(batch, written.flat())
  }
}

interface Sending {
  cursor: PartCursor
  batch: RawBatch
}

interface Round {
  writes: Sending[]
  fills: Sending[]
  /** Partitions whose holes the transaction does not have yet. */
  joining: PartCursor[]
  isOver: boolean
}

async function nextRound(cursors: readonly PartCursor[], isEnding: boolean): Promise<Round> {
  const round: Round = { writes: [], fills: [], joining: [], isOver: true }
  let bytes = 0
  for (const cursor of cursors) {
    if (bytes > ROUND_BYTES) {
      round.isOver = false
      break
    }
    const next = await cursor.next()
    if (next.kind === 'over') continue
    round.isOver = false
    if (next.kind === 'records') {
      const { topic, partition } = cursor
      round.writes.push({ cursor, batch: { topic, partition, records: next.records } })
      bytes += next.bytes
      continue
    }
    if (!cursor.hasJoined) {
      if (isEnding) continue
      round.joining.push(cursor)
    }
    const marker = isEnding || next.isLast ? 1 : 0
    const count = Math.min(FILLED_AT_ONCE, next.offsets - marker)
    if (count > 0) round.fills.push({ cursor, batch: cursor.filler(count) })
  }
  return round
}

type Next =
  | { kind: 'over' }
  | { kind: 'records'; records: readonly CopiedRecord[]; bytes: number }
  | { kind: 'hole'; offsets: number; isLast: boolean }

/** How far a partition is written. */
class PartCursor {
  readonly topic: string
  readonly partition: number
  hasJoined = false
  readonly #part: PartToWrite
  readonly #source: AsyncIterator<readonly CopiedRecord[]>
  #ready: readonly CopiedRecord[] = []
  #at = 0

  constructor(prefix: string, part: PartToWrite) {
    this.topic = prefix + part.topic
    this.partition = part.partition
    this.#part = part
    this.#source = part.records[Symbol.asyncIterator]()
  }

  async next(): Promise<Next> {
    while (this.#ready.length === 0) {
      const { value, done } = await this.#source.next()
      if (done) break
      this.#ready = value
    }
    const until = this.#ready[0]?.offset ?? this.#part.end
    if (until > this.#at)
      return {
        ...{ kind: 'hole', offsets: until - this.#at },
        isLast: until === this.#part.afterHole,
      }
    return this.#ready.length === 0 ? { kind: 'over' } : this.#run()
  }

  /** Records without a hole between them. */
  #run(): Next {
    let bytes = 0
    let count = 0
    for (const record of this.#ready) {
      const size = batchBytesOf(record)
      const isNext = record.offset === this.#at + count
      if (!isNext || count === BATCH_RECORDS || (count > 0 && bytes + size > BATCH_BYTES)) break
      bytes += size
      count += 1
    }
    return { kind: 'records', records: this.#ready.slice(0, count), bytes }
  }

  filler(count: number): RawBatch {
    const record: RawRecord = {
      ...{ key: FILLER_KEY, value: null, headers: {} },
      timestamp: Date.now(),
    }
    const { topic, partition } = this
    return { topic, partition, records: new Array<RawRecord>(count).fill(record) }
  }

  written({ records }: RawBatch, written: readonly WrittenBatch[]): void {
    const { topic, partition } = this
    const place = written.find((one) => one.topic === topic && one.partition === partition)
    if (place?.offset !== this.#at) {
      throw new OffsetTakenError(
        `${topic}/${partition} took a record at offset ${place?.offset}, not ${this.#at}`,
      )
    }
    this.#at += records.length
    if (records[0] === this.#ready[0]) this.#ready = this.#ready.slice(records.length)
  }

  /** The transaction is over: its marker took one offset. */
  marked(): void {
    if (this.hasJoined) this.#at += 1
    this.hasJoined = false
  }
}
