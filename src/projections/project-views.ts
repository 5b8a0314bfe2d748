import { ChainBreakError } from '../ports/log/chain-break.ts'
import type { EventLog, Stored } from '../ports/log/event-log.ts'
import { type OrderViews, ViewGapError } from '../ports/views/order-views.ts'
import type { Clock } from '../runtime/clock.ts'
import { type PartitionSnapshot, SnapshotRecord, TOPICS } from '../schemas/log.ts'
import { FoldedOffset } from './folded-offset.ts'
import { LogEnd } from './log-end.ts'
import { readLifecycle } from './read-lifecycle.ts'
import { type ProjectionFailure, retryUntil } from './retry.ts'

export interface ViewProjection {
  log: EventLog
  views: Pick<OrderViews, 'apply' | 'applyFreshness' | 'position'>
  clock: Clock
  onFailure?: (failure: ProjectionFailure) => void
}

/** Records per write: more would hold the event loop for too long. */
const APPLY_RECORDS = 50
/** A worker writes its partition's snapshot last in every batch, so the latest is near the end. */
const SNAPSHOT_TAIL = 16
const RETRY_MAX_MS = 5_000
const VIEWS = { name: 'views', remedy: '`market rebuild views` makes them of this one' }

/** Folds the lifecycle of every partition into the order views until the signal aborts. */
export async function projectViews(projection: ViewProjection, signal: AbortSignal): Promise<void> {
  const partitions = Array.from({ length: projection.log.partitions }, (_, p) => p)
  await Promise.all(partitions.map((partition) => projectPartition(projection, partition, signal)))
}

async function projectPartition(
  projection: ViewProjection,
  partition: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, onFailure } = projection
  const folded = new FoldedOffset()
  const logEnd = new LogEnd(log, VIEWS, partition)
  const retry = { clock, mostMs: RETRY_MAX_MS, ...(onFailure && { onFailure }) }
  const named = (what: string) => ({ ...retry, projection: `${what} of partition ${partition}` })
  let again = new AbortController()
  const gaps = new Gaps()
  await Promise.all([
    retryUntil(named('views'), signal, (progress) => {
      again = new AbortController()
      const either = AbortSignal.any([signal, again.signal])
      const run = { signal: either, progress, logEnd, gaps }
      return foldLifecycle(projection, partition, folded, run).catch((error: unknown) => {
        throw gaps.found(error)
      })
    }),
    retryUntil(named('freshness'), signal, async (progress) => {
      try {
        await showFreshness(projection, partition, folded, { signal, progress })
      } catch (error) {
        // The store may have lost orders, and a quiet log has no change that would reveal it.
        again.abort()
        throw error
      }
    }),
  ])
}

async function foldLifecycle(
  { log, views, clock }: ViewProjection,
  partition: number,
  folded: FoldedOffset,
  run: { signal: AbortSignal; progress: () => void; logEnd: LogEnd; gaps: Gaps },
): Promise<void> {
  const position = await views.position(partition)
  await run.logEnd.require(position)
  // A store that lost orders but not its position is refilled from the start: what it has is
  // skipped.
  const from = run.gaps.isRefillOwed ? 0 : position
  folded.reach(from)
  for await (const batch of log.read(TOPICS.lifecycle, partition, from, run.signal)) {
    for (let at = 0; at < batch.length; at += APPLY_RECORDS) {
      await clock.turn()
      const part = batch.slice(at, at + APPLY_RECORDS)
      const nextOffset = endOf(part)
      const records = part.map(({ value }) => readLifecycle(value))
      await views.apply({ partition, nextOffset, records })
      folded.reach(nextOffset)
      run.progress()
      if (nextOffset >= position) run.gaps.refilled()
    }
  }
}

// A watermark vouches for the log as it was when it was consumed: shown with an older view of an
// order, it would make that view look fresher than its evidence.
async function showFreshness(
  { log, views }: ViewProjection,
  partition: number,
  folded: FoldedOffset,
  run: { signal: AbortSignal; progress: () => void },
): Promise<void> {
  const end = await log.end(TOPICS.snapshots, partition)
  const from = Math.max(0, end - SNAPSHOT_TAIL)
  for await (const batch of log.read(TOPICS.snapshots, partition, from, run.signal)) {
    const snapshots = partitionSnapshots(batch)
    const due = snapshots.findLastIndex(({ lifecycleEnd }) => folded.has(lifecycleEnd))
    for (const snapshot of snapshots.slice(Math.max(0, due))) {
      await folded.until(snapshot.lifecycleEnd, run.signal)
      if (run.signal.aborted) return
      const { watermark, continuousSince, renewedUpTo } = snapshot
      const renewed = renewedUpTo === undefined ? {} : { renewedUpTo }
      if (watermark)
        await views.applyFreshness(partition, { watermark, continuousSince, ...renewed })
      run.progress()
    }
  }
}

/** Views that lack changes of an order are refilled; a gap that a refill does not close is in the log. */
class Gaps {
  #owed: ViewGapError | null = null
  #refilled: ViewGapError | null = null

  /** An attempt that failed for another reason has refilled nothing. */
  get isRefillOwed(): boolean {
    return this.#owed !== null
  }

  /** The views have all that precedes the position that they had. */
  refilled(): void {
    this.#refilled = this.#owed ?? this.#refilled
    this.#owed = null
  }

  /** Why the fold ended: a gap that remains is a break of the log. */
  found(error: unknown): unknown {
    if (!(error instanceof ViewGapError)) return error
    if (this.#owed && isSameGap(this.#owed, error)) this.refilled()
    if (this.#refilled && isSameGap(this.#refilled, error)) return breakBy(error)
    this.#owed = error
    return error
  }
}

const isSameGap = (one: ViewGapError, other: ViewGapError): boolean =>
  other.orderId === one.orderId && other.have === one.have && other.got === one.got

const breakBy = ({ orderId, got, have }: ViewGapError): ChainBreakError =>
  new ChainBreakError({ orderId, seq: got }, `comes after change ${have}`)

const endOf = (records: readonly Stored<unknown>[]): number => (records.at(-1)?.offset ?? -1) + 1

function partitionSnapshots(batch: readonly Stored<unknown>[]): PartitionSnapshot[] {
  return batch
    .filter(({ value }) => isPartitionSnapshot(value))
    .map(({ value }) => SnapshotRecord.parse(value))
    .filter((snapshot) => snapshot.kind === 'partition')
}

// Checked before parsing: most snapshots are of orders and not needed here.
const isPartitionSnapshot = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'partition'
