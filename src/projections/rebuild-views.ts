import type { EventLog } from '../ports/log/event-log.ts'
import { StorageUnavailableError } from '../ports/log/storage-errors.ts'
import type { NextViews, RebuildableViews, RebuildProgress } from '../ports/views/order-views.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { TOPICS } from '../schemas/log.ts'
import { FoldedOffset } from './folded-offset.ts'
import { readLifecycle } from './read-lifecycle.ts'

export interface ViewRebuild {
  log: Pick<EventLog, 'partitions' | 'read' | 'end'>
  views: Pick<RebuildableViews, 'beginAgain'>
  clock: Clock
  /** Records per write; absent: as many as suit a process that does nothing else. */
  atOnce?: number
  onProgress?: (progress: RebuildProgress) => void
}

/**
 * Records per write: of the changes of an order that are among them only the last is written. Where nothing
 * else runs in the process, its event loop may be held for longer than the projector's.
 */
const APPLY_RECORDS = 1_000
/**
 * A partition may end in a hole: once nothing of what was there at the start has come from any of
 * them for this long, matching current views is enough.
 */
const QUIET_MS = 5_000
/** The wait before the first record: a broker takes longer for that. */
const FIRST_MS = 30_000
/** Writers are made to wait only once no partition is more than this many offsets behind. */
const HELD_OFFSETS = 500
const SWITCH_ATTEMPTS = 100

interface RebuiltPartition {
  partition: number
  folded: FoldedOffset
  /** The offset after the last record folded. */
  at: number
  /** The end of the partition at the start. */
  end: number
}

/** The progress of folding what was in the log at the start. */
interface Backlog {
  /** When a record of it came or was folded last, or the rebuild began: on the monotonic clock. */
  movedAt: number
  hasMoved: boolean
  /** Writes of it that have not ended: a slow machine takes longer for one than a silence lasts. */
  writes: number
}

/**
 * Rebuilds the views from the log, next to those still read and written, and switches to them
 * atomically: no order that a reader saw is older afterwards. False if the signal aborted first:
 * the views are then unchanged. Throws `StorageUnavailableError`; it can be run again.
 */
export async function rebuildViews(rebuild: ViewRebuild, signal: AbortSignal): Promise<boolean> {
  const next = await rebuild.views.beginAgain()
  try {
    await remove(rebuild, next, 'clear', signal)
    if (!(await foldAndSwitch(rebuild, next, signal))) {
      await giveUp(next)
      return false
    }
  } catch (error) {
    await giveUp(next)
    throw error
  }
  await remove(rebuild, next, 'remove', signal)
  return true
}

/** Removes the new views, as far as the store allows: the next rebuild clears what is left. */
async function giveUp(next: NextViews): Promise<void> {
  try {
    await next.abandon()
    for await (const _ of next.removeOthers());
  } catch {
    // The store is unavailable, or another rebuild has begun and will clear this one.
  }
}

async function foldAndSwitch(
  rebuild: ViewRebuild,
  next: NextViews,
  signal: AbortSignal,
): Promise<boolean> {
  const stop = new AbortController()
  const run = AbortSignal.any([signal, stop.signal])
  const partitions = await Promise.all(
    Array.from(
      { length: rebuild.log.partitions },
      async (_, partition): Promise<RebuiltPartition> => {
        const at = await next.position(partition)
        const end = await rebuild.log.end(TOPICS.lifecycle, partition)
        return { partition, folded: new FoldedOffset(), at, end }
      },
    ),
  )
  const backlog: Backlog = { movedAt: rebuild.clock.monotonic(), hasMoved: false, writes: 0 }
  const all = partitions.reduce((sum, { end }) => sum + end, 0)
  const report = () => {
    const done = partitions.reduce((sum, { at }) => sum + at, 0)
    rebuild.onProgress?.({ step: 'fold', done, all: Math.max(all, done) })
  }
  let failure: { error: unknown } | null = null
  // A partition ends only with the run, or with an error: after a switch it can no longer write, and
  // from that it cannot know whether the switch happened.
  const folding = partitions.map((own) =>
    fold({ rebuild, next, backlog, report }, own, run).catch((error: unknown) => {
      failure ??= { error }
      stop.abort()
    }),
  )
  try {
    await Promise.all(partitions.map((own) => caughtUp({ rebuild, next, backlog }, own, run)))
    if (!run.aborted) await next.announce(run)
    if (await takePlace(rebuild, next, partitions, run)) return true
  } finally {
    stop.abort()
    await Promise.all(folding)
  }
  throwIf(failure)
  return false
}

function throwIf(failure: { error: unknown } | null): void {
  if (failure) throw failure.error
}

interface Folding {
  rebuild: ViewRebuild
  next: NextViews
  backlog: Backlog
  report(): void
}

/** Folds a partition, including new records, until the signal aborts. */
async function fold(
  { rebuild: { log, clock, atOnce = APPLY_RECORDS }, next, backlog, report }: Folding,
  own: RebuiltPartition,
  signal: AbortSignal,
): Promise<void> {
  const { partition } = own
  const moved = () => {
    if (own.at >= own.end) return
    backlog.movedAt = clock.monotonic()
    backlog.hasMoved = true
  }
  own.folded.reach(own.at)
  for await (const batch of log.read(TOPICS.lifecycle, partition, own.at, signal)) {
    for (let from = 0; from < batch.length && !signal.aborted; from += atOnce) {
      await clock.turn()
      const part = batch.slice(from, from + atOnce)
      const nextOffset = (part.at(-1)?.offset ?? -1) + 1
      const records = part.map(({ value }) => readLifecycle(value))
      moved()
      backlog.writes += 1
      await next.apply({ partition, nextOffset, records }).finally(() => {
        backlog.writes -= 1
      })
      moved()
      own.at = nextOffset
      own.folded.reach(nextOffset)
      report()
    }
  }
}

/** Resolves when a partition is folded to its end, or to the current views if no backlog is left. */
async function caughtUp(
  { rebuild: { clock }, next, backlog }: Omit<Folding, 'report'>,
  own: RebuiltPartition,
  signal: AbortSignal,
): Promise<void> {
  let comparedAt = Number.NEGATIVE_INFINITY
  const missingMs = () => {
    const quietMs = backlog.hasMoved ? QUIET_MS : FIRST_MS
    if (backlog.writes > 0) return quietMs
    return Math.max(backlog.movedAt, comparedAt) + quietMs - clock.monotonic()
  }
  while (!own.folded.has(own.end) && !signal.aborted) {
    // Whether a record came meanwhile decides how long the whole wait is.
    const nextMs = Math.min(missingMs(), QUIET_MS)
    await withDeadline(clock, nextMs, signal, (deadline) => own.folded.until(own.end, deadline))
    if (missingMs() > 0) continue
    const shown = (await next.shown()).get(own.partition) ?? 0
    if (own.folded.has(shown)) return
    comparedAt = clock.monotonic()
  }
}

/** False when the signal aborts first. */
async function takePlace(
  { clock, onProgress }: ViewRebuild,
  next: NextViews,
  partitions: readonly RebuiltPartition[],
  signal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; attempt <= SWITCH_ATTEMPTS; attempt += 1) {
    onProgress?.({ step: 'switch', done: attempt, all: null })
    const near = await next.shown()
    const behind = partitions.map(({ partition, at }) => (near.get(partition) ?? 0) - at)
    if (Math.max(0, ...behind) <= HELD_OFFSETS) await next.hold()
    try {
      const shown = await next.shown()
      await Promise.all(
        partitions.map(({ partition, folded }) => folded.until(shown.get(partition) ?? 0, signal)),
      )
      if (signal.aborted) return false
      if (await next.takeOver()) return true
    } finally {
      await next.release()
    }
    await clock.turn()
  }
  throw new StorageUnavailableError(
    'io',
    'the log grows faster than the views can be rebuilt from it',
  )
}

async function remove(
  { onProgress }: ViewRebuild,
  next: NextViews,
  step: 'clear' | 'remove',
  signal: AbortSignal,
): Promise<void> {
  let done = 0
  for await (const removed of next.removeOthers()) {
    done += removed
    onProgress?.({ step, done, all: null })
    if (signal.aborted) return
  }
}
