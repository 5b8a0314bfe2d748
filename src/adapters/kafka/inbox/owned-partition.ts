import type { KafkaMessage } from 'kafkajs'
import type { OnPoint } from '../../../ports/log/crash-points.ts'
import type { PartitionState, WorkerOutput } from '../../../ports/log/event-log.ts'
import {
  NO_LOG,
  type SnapshotPosition,
  type SnapshotStore,
} from '../../../ports/log/snapshot-store.ts'
import { LOG_SCHEMA, type SnapshotRecord, TOPICS, type Topic } from '../../../schemas/log.ts'
import type { NextHead, PartitionHeads } from '../../log/partition-heads.ts'
import { deadLetters, lifecycleRecords, snapshotRecords, withEnd } from '../../log/step-records.ts'
import { batchesOf, type Ends, sendBatches } from '../client/batches.ts'
import { type CommitPosition, commitPositionOf, decode, type KafkaRecord } from '../client/codec.ts'
import type { Fetched } from '../client/reader.ts'
import type { OpenTransaction, Transactions } from '../client/transactions.ts'
import { type RestoreWindow, restoreWindows } from './restore-windows.ts'

export interface OwnedPartitionParts {
  partition: number
  logId: string
  prefix: string
  groupId: string
  transactions: Transactions
  snapshots: SnapshotStore
  /** What is stored in a partition now, from an offset on. */
  stored(topic: Topic, partition: number, from: number, signal: AbortSignal): AsyncIterable<Fetched>
  end(topic: Topic, partition: number): Promise<number>
  /** The first offset that still exists. */
  firstOffset(topic: Topic, partition: number): Promise<number>
  /** The group's offset in the inbox of the partition. */
  groupOffset(partition: number): Promise<number>
  /** Takes up the heads of the partition; null: none are signed. */
  heads(): Promise<PartitionHeads | null>
  onPoint: OnPoint
  /** Runs long work one item at a time, in order, so that the first finishes early. */
  inLine(work: () => Promise<void>): Promise<void>
}

/** Orders restored in one write: more would block the event loop for too long. */
const RESTORED_AT_ONCE = 500
/**
 * Snapshots that are read in less than a second: a copy that lacks no more than these skips the
 * queue.
 */
const FEW = 5_000

/**
 * One inbox partition while this process owns it: what is committed together, and the copy of the
 * snapshots that the steps read. The inbox position is stored with the snapshots themselves, so a
 * group that lost its offsets repeats nothing.
 */
export class OwnedPartition {
  readonly #parts: OwnedPartitionParts
  readonly #heads: PartitionHeads | null
  readonly #hasGap: boolean
  #position: SnapshotPosition
  /**
   * The offset of the next lifecycle record; null until a transaction of this owner has had one. Only
   * this owner writes there, and a transaction ends with one control record.
   */
  #nextChange: number | null = null

  /** Fences the previous owner, then brings the copy to the end of what was committed. */
  static async take(parts: OwnedPartitionParts, signal: AbortSignal): Promise<OwnedPartition> {
    await parts.transactions.fence()
    const position = await restore(parts, signal)
    const first = await parts.firstOffset(TOPICS.inbox, parts.partition)
    return new OwnedPartition(parts, await parts.heads(), position, first > position.inbox)
  }

  private constructor(
    parts: OwnedPartitionParts,
    heads: PartitionHeads | null,
    position: SnapshotPosition,
    hasGap: boolean,
  ) {
    this.#parts = parts
    this.#heads = heads
    this.#position = position
    this.#hasGap = hasGap
  }

  /** The inbox offset at which processing continues. */
  get inbox(): number {
    return this.#position.inbox
  }

  get state(): PartitionState {
    const { partition, snapshots } = this.#parts
    return {
      partition,
      snapshots: snapshots.of(partition),
      hasGap: this.#hasGap,
      lifecycleEnd: () => this.#position.lifecycleEnd,
    }
  }

  /** Commits output and offset together, or neither. */
  async commit(output: WorkerOutput, inbox: number): Promise<void> {
    const { partition, transactions, snapshots, onPoint } = this.#parts
    const written = await transactions.run((transaction) => this.#write(transaction, output, inbox))
    onPoint('after offset')
    await snapshots.apply(partition, written.snapshots, written.position)
    this.#position = written.position
    if (written.head) this.#heads?.committed(written.head)
    if (output.lifecycle.length > 0) this.#nextChange = written.position.lifecycleEnd + 1
  }

  /** The end of the lifecycle after so many more records, if it is known before they are sent. */
  #endAfter(changes: number): number | null {
    if (changes === 0) return this.#position.lifecycleEnd
    return this.#nextChange === null ? null : this.#nextChange + changes
  }

  /** All in one send where the end of the lifecycle, which the snapshots name, is known before. */
  async #write({ send, sendOffset }: OpenTransaction, output: WorkerOutput, inbox: number) {
    const { partition, prefix, groupId, onPoint, logId } = this.#parts
    onPoint('before append')
    const changes = lifecycleRecords(partition, output)
    const known = this.#endAfter(changes.length)
    const endOf = (sent: Ends) => sent.of(prefix + TOPICS.lifecycle, partition)
    const first = known === null ? endOf(await sendBatches(send, batchesOf(changes, prefix))) : null
    const lifecycleEnd = known ?? first ?? this.#position.lifecycleEnd
    const kept = output.snapshots.map((snapshot) => withEnd(snapshot, lifecycleEnd))
    const head: NextHead | null = this.#heads?.next(output, lifecycleEnd) ?? null
    const others: KafkaRecord[] = [
      ...snapshotRecords(partition, kept),
      ...deadLetters(partition, output).map(fit),
      ...(head?.records ?? []),
    ]
    const position = { inbox, lifecycleEnd }
    const records = [
      ...(known === null ? [] : changes),
      ...others.map((record) => ({ ...record, position })),
    ]
    const sent = await sendBatches(send, batchesOf(records, prefix))
    const end = endOf(sent) ?? lifecycleEnd
    // The transaction is not committed, and the next owner asks the broker.
    if (end !== lifecycleEnd)
      throw new Error(`the lifecycle of partition ${partition} ends at ${end}, not ${lifecycleEnd}`)
    onPoint('after append')
    onPoint('before offset')
    await sendOffset(groupId, prefix + TOPICS.inbox, partition, inbox)
    const reached: SnapshotPosition = {
      logId,
      ...position,
      snapshots: sent.of(prefix + TOPICS.snapshots, partition) ?? this.#position.snapshots,
    }
    return { snapshots: kept, position: reached, head }
  }
}

/**
 * A dead letter must not exceed what a broker accepts: only the beginning of a large value is kept.
 */
function fit<T extends { value: unknown }>(letter: T): T {
  const text = JSON.stringify(letter.value)
  if (text.length <= MAX_LETTER_CHARACTERS) return letter
  const { value, ...rest } = letter.value as { value: unknown }
  const begins = JSON.stringify(value).slice(0, KEPT_CHARACTERS)
  return { ...letter, value: { ...rest, value: { cut: text.length, begins } } }
}

const MAX_LETTER_CHARACTERS = 2 ** 18
const KEPT_CHARACTERS = 2 ** 14

// ---- taking over ---------------------------------------------------------------------------------

async function restore(parts: OwnedPartitionParts, signal: AbortSignal): Promise<SnapshotPosition> {
  const { partition, snapshots } = parts
  const end = await parts.end(TOPICS.snapshots, partition)
  let position = await startOfCopy(parts, end)
  const from = position.snapshots
  const read = async (keep: Keep) => {
    signal.throwIfAborted()
    const stored = parts.stored(TOPICS.snapshots, partition, from, signal)
    for await (const window of restoreWindows(stored)) {
      signal.throwIfAborted()
      position = await keep(parts, window, position, signal)
    }
  }
  if (end - from <= FEW) await read(keepFew)
  else await parts.inLine(() => read(keepMany))
  const inbox = Math.max(position.inbox, await parts.groupOffset(partition))
  const lifecycleEnd = await lastChange(parts, position.lifecycleEnd, signal)
  const restored = { ...position, inbox, lifecycleEnd }
  // Else the partition’s next owner, which may have begun, would lose what it has cleared.
  signal.throwIfAborted()
  await snapshots.apply(partition, [], restored)
  return restored
}

async function startOfCopy(
  { partition, snapshots, logId }: OwnedPartitionParts,
  end: number,
): Promise<SnapshotPosition> {
  const kept = snapshots.position(partition)
  if (kept?.logId === logId && kept.snapshots <= end) return kept
  if (kept) await snapshots.clear(partition)
  return { logId, snapshots: 0, inbox: 0, lifecycleEnd: 0 }
}

/** Keeps a window; returns the position after it. */
type Keep = (
  parts: OwnedPartitionParts,
  window: RestoreWindow,
  from: SnapshotPosition,
  signal: AbortSignal,
) => Promise<SnapshotPosition>

/** An interrupted restore continues after the last window that it finished. */
const keepFew: Keep = async ({ partition, snapshots }, { latest, next }, from, signal) => {
  for (const part of partsOf(partition, latest)) {
    signal.throwIfAborted()
    await snapshots.apply(partition, part, from)
  }
  const position = { ...from, ...lastPosition(latest), snapshots: next }
  signal.throwIfAborted()
  await snapshots.apply(partition, [], position)
  return position
}

/** Until the whole restore ends the copy is that of no log: an interrupted one begins again. */
const keepMany: Keep = async ({ partition, snapshots }, { latest, next }, from, signal) => {
  await snapshots.apply(partition, [], { ...from, logId: NO_LOG })
  await snapshots.restore(partition, partsOf(partition, latest), signal)
  return { ...from, ...lastPosition(latest), snapshots: next }
}

function* partsOf(
  partition: number,
  messages: readonly KafkaMessage[],
): Generator<SnapshotRecord[]> {
  for (let at = 0; at < messages.length; at += RESTORED_AT_ONCE) {
    const part = messages.slice(at, at + RESTORED_AT_ONCE)
    yield part.map((message) => decode(partition, message).value).filter(isSnapshot)
  }
}

function lastPosition(messages: readonly KafkaMessage[]): CommitPosition | null {
  let last: { offset: number; position: CommitPosition } | null = null
  for (const message of messages) {
    const offset = Number(message.offset)
    if (last !== null && offset < last.offset) continue
    const position = commitPositionOf(message)
    if (position) last = { offset, position }
  }
  return last?.position ?? null
}

/** Checked only as far as storing it requires: it is fully parsed when it is read. */
const isSnapshot = (value: unknown): value is SnapshotRecord =>
  typeof value === 'object' &&
  value !== null &&
  'schema' in value &&
  value.schema === LOG_SCHEMA &&
  'kind' in value &&
  (value.kind === 'order' || value.kind === 'partition')

/** After the last lifecycle record: commits without a snapshot, and control records, may follow. */
async function lastChange(
  { partition, stored }: OwnedPartitionParts,
  known: number,
  signal: AbortSignal,
): Promise<number> {
  let last = known
  for await (const { messages } of stored(TOPICS.lifecycle, partition, known, signal)) {
    const message = messages.at(-1)
    if (message) last = Number(message.offset) + 1
  }
  return last
}
