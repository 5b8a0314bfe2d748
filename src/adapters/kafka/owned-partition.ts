import type { OnPoint } from '../../ports/crash-points.ts'
import type { PartitionState, WorkerOutput } from '../../ports/event-log.ts'
import type { SnapshotPosition, SnapshotStore } from '../../ports/snapshot-store.ts'
import { LOG_SCHEMA, type SnapshotRecord, TOPICS, type Topic } from '../../schemas/log.ts'
import { deadLetters, lifecycleRecords, snapshotRecords, withEnd } from '../log/step-records.ts'
import { batchesOf, sendBatches } from './batches.ts'
import { type CommitPosition, decode, positionOf } from './codec.ts'
import type { Fetched } from './reader.ts'
import type { OpenTransaction, Transactions } from './transactions.ts'

export interface OwnedPartitionParts {
  partition: number
  logId: string
  prefix: string
  groupId: string
  transactions: Transactions
  snapshots: SnapshotStore
  /** What stands in a partition now, from an offset on. */
  stored(topic: Topic, partition: number, from: number, signal: AbortSignal): AsyncIterable<Fetched>
  end(topic: Topic, partition: number): Promise<number>
  /** The first offset that is still there. */
  firstOffset(topic: Topic, partition: number): Promise<number>
  /** The group's offset in the inbox of the partition. */
  groupOffset(partition: number): Promise<number>
  onPoint: OnPoint
}

/** Orders restored in one write. */
const RESTORED_AT_ONCE = 200

/**
 * One inbox partition while this process owns it: what is committed together, and the copy of the
 * snapshots that the steps read. The place in the inbox travels with the snapshots themselves, so a
 * group that lost its offsets repeats nothing.
 */
export class OwnedPartition {
  readonly #parts: OwnedPartitionParts
  readonly #hasGap: boolean
  #position: SnapshotPosition

  /** Fences whoever had the partition, then brings the copy to the end of what was committed. */
  static async take(parts: OwnedPartitionParts, signal: AbortSignal): Promise<OwnedPartition> {
    await parts.transactions.fence()
    const position = await restore(parts, signal)
    const first = await parts.firstOffset(TOPICS.inbox, parts.partition)
    return new OwnedPartition(parts, position, first > position.inbox)
  }

  private constructor(parts: OwnedPartitionParts, position: SnapshotPosition, hasGap: boolean) {
    this.#parts = parts
    this.#position = position
    this.#hasGap = hasGap
  }

  /** The inbox offset from which processing goes on. */
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

  /** All of it with the offset, or nothing. */
  async commit(output: WorkerOutput, inbox: number): Promise<void> {
    const { partition, transactions, snapshots, onPoint } = this.#parts
    const written = await transactions.run((transaction) => this.#write(transaction, output, inbox))
    onPoint('after offset')
    await snapshots.apply(partition, written.snapshots, written.position)
    this.#position = written.position
  }

  async #write({ send, sendOffset }: OpenTransaction, output: WorkerOutput, inbox: number) {
    const { partition, prefix, groupId, onPoint, logId } = this.#parts
    onPoint('before append')
    const changes = batchesOf(lifecycleRecords(partition, output), prefix)
    const changed = (await sendBatches(send, changes)).of(prefix + TOPICS.lifecycle, partition)
    const lifecycleEnd = changed ?? this.#position.lifecycleEnd
    // Control records stand between transactions: only now is it known where this one's end.
    const kept = output.snapshots.map((snapshot) => withEnd(snapshot, lifecycleEnd))
    const records = [
      ...snapshotRecords(partition, kept),
      ...deadLetters(partition, output).map(fit),
    ]
    const sent = await sendBatches(send, batchesOf(records, prefix, { inbox, lifecycleEnd }))
    onPoint('after append')
    onPoint('before offset')
    await sendOffset(groupId, prefix + TOPICS.inbox, partition, inbox)
    const position: SnapshotPosition = {
      logId,
      inbox,
      lifecycleEnd,
      snapshots: sent.of(prefix + TOPICS.snapshots, partition) ?? this.#position.snapshots,
    }
    return { snapshots: kept, position }
  }
}

/** A dead letter must not become a record that no broker takes: of a large value its beginning is kept. */
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
  for await (const fetched of parts.stored(TOPICS.snapshots, partition, from, signal)) {
    position = await keep(parts, fetched, position)
  }
  const inbox = Math.max(position.inbox, await parts.groupOffset(partition))
  const lifecycleEnd = await lastChange(parts, position.lifecycleEnd, signal)
  const restored = { ...position, inbox, lifecycleEnd }
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

async function keep(
  { partition, snapshots }: OwnedPartitionParts,
  { messages, next }: Fetched,
  from: SnapshotPosition,
): Promise<SnapshotPosition> {
  let position = from
  for (let at = 0; at < messages.length; at += RESTORED_AT_ONCE) {
    const part = messages.slice(at, at + RESTORED_AT_ONCE)
    const values = part.map((message) => decode(partition, message).value).filter(isSnapshot)
    const last = part.reduce<CommitPosition>((known, m) => positionOf(m) ?? known, position)
    position = { ...position, ...last, snapshots: Number(part.at(-1)?.offset) + 1 }
    await snapshots.apply(partition, values, position)
  }
  return { ...position, snapshots: next }
}

/** Looked at as far as it takes to keep it: it is parsed whole when it is read. */
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
