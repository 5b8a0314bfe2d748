import type { Clock } from '../../runtime/clock.ts'
import type { RESYNC_REASONS } from '../../schemas/api/stream.ts'
import type {
  ReaderPlace,
  RecentChange,
  RecentChanges,
} from '../../streams/activity/recent-changes.ts'
import type { ChangedOrder } from './changed-orders.ts'

export type ResyncReason = (typeof RESYNC_REASONS)[number]

/** A change, and its signed place: a client that received the change resumes there. */
export interface PlacedChange {
  changed: ChangedOrder
  /** Made at the first call. */
  signed(): string
}

export interface WalkStep {
  changes: readonly PlacedChange[]
  /** The place after these changes. */
  place: ReaderPlace
}

export interface ChangeWalk {
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'turn'>
  from: ReaderPlace
  signal: AbortSignal
  /** The newest changes, and the place at which the walk ends for now. */
  target(): { recent: RecentChanges; to: ReaderPlace }
  /** Whether the change may concern a stream of this walk. */
  concerns(change: RecentChange): boolean
  /** Null for a change that the views have not reached. */
  read(changes: readonly RecentChange[]): Promise<readonly (ChangedOrder | null)[]>
  signed(place: ReaderPlace): string
  /** Called at the end of the known changes: whether the walk goes on. */
  atEnd(place: ReaderPlace): Promise<boolean>
}

/** About the most changes and bytes of a step, which is made and sent as one. */
const STEP = 50
const STEP_BYTES = 65_536
/** Orders that are read together. */
const READ_AT_ONCE = 10
/** Milliseconds between two looks at views that lag. */
const LATE_POLL_MS = 50
/**
 * How long the views may take to reach the next change of the log, milliseconds. While changes keep
 * coming, the views are always behind the newest change.
 */
const LATE_MS = 30_000

/**
 * The changes from a place on, in steps made on demand; a step without changes only moves the place.
 * Returns why the walk cannot go on; null after the abort, or when `atEnd` ends it.
 */
export async function* walkChanges(
  walk: ChangeWalk,
): AsyncGenerator<WalkStep, ResyncReason | null> {
  const { clock, signal } = walk
  let place = walk.from
  let lateSince: number | null = null
  while (!signal.aborted) {
    const { recent, to } = walk.target()
    if (!recent.reaches(place)) return 'too_old'
    const { isLate, hasMore, ...step } = await nextStep(walk, recent, { from: place, to })
    if (signal.aborted) return null
    const isMoved = !isReached(place, step.place)
    place = step.place
    if (isMoved) yield step
    if (isMoved || !isLate) lateSince = null
    if (isLate) lateSince ??= clock.monotonic()
    if (lateSince !== null && clock.monotonic() - lateSince > LATE_MS) return 'views_behind'
    if (isLate) await clock.sleep(LATE_POLL_MS, signal)
    else if (hasMore) await clock.turn()
    else if (!(await walk.atEnd(place))) return null
  }
  return null
}

interface Span {
  from: ReaderPlace
  to: ReaderPlace
}

async function nextStep(walk: ChangeWalk, recent: RecentChanges, { from, to }: Span) {
  const next = recent.between(from, to, STEP)
  const place = [...from]
  const changes: PlacedChange[] = []
  let bytes = 0
  for (let at = 0; at < next.length; at += READ_AT_ONCE) {
    const few = next.slice(at, at + READ_AT_ONCE)
    const found = await read(walk, few)
    for (const change of few) {
      const changed = found.get(change)
      if (changed === null) return { changes, place, isLate: true, hasMore: true }
      if (bytes >= STEP_BYTES) return { changes, place, isLate: false, hasMore: true }
      place[change.partition] = change.offset + 1
      if (!changed) continue
      bytes += changed.body('listed').length
      changes.push({ changed, signed: once(walk.signed, [...place]) })
    }
  }
  const hasMore = next.length === STEP
  return { changes, place: hasMore ? place : laterOf(place, to), isLate: false, hasMore }
}

/** The changes that may concern a stream of this walk; null if the views have not reached one. */
async function read(walk: ChangeWalk, changes: readonly RecentChange[]) {
  const wanted = changes.filter((change) => walk.concerns(change))
  const found = wanted.length > 0 ? await walk.read(wanted) : []
  return new Map(wanted.map((change, at) => [change, found[at] ?? null]))
}

/** Signed at the first call. */
function once(sign: (place: ReaderPlace) => string, place: ReaderPlace): () => string {
  let signed: string | null = null
  return () => {
    signed ??= sign(place)
    return signed
  }
}

/** Whether a place is before another in no partition. */
export const isReached = (place: ReaderPlace, to: ReaderPlace): boolean =>
  to.every((next, partition) => (place[partition] ?? 0) >= next)

const laterOf = (one: ReaderPlace, other: ReaderPlace): ReaderPlace =>
  one.map((next, partition) => Math.max(next, other[partition] ?? 0))
