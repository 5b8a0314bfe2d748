import type { Clock } from '../../runtime/clock.ts'
import type { RESYNC_REASONS } from '../../schemas/api/stream.ts'
import type {
  ReaderPlace,
  RecentChange,
  RecentChanges,
} from '../../streams/activity/recent-changes.ts'
import type { ChangedOrder } from './changed-orders.ts'

export type ResyncReason = (typeof RESYNC_REASONS)[number]

/** A change, and its place signed: where whoever has received it resumes. */
export interface PlacedChange {
  changed: ChangedOrder
  /** Made when it is first asked for. */
  signed(): string
}

export interface WalkStep {
  changes: readonly PlacedChange[]
  /** After them. */
  place: ReaderPlace
}

export interface ChangeWalk {
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'turn'>
  from: ReaderPlace
  signal: AbortSignal
  /** The newest changes, and the place up to which they are walked now. */
  target(): { recent: RecentChanges; to: ReaderPlace }
  /** Whether anybody on this walk may be told of it. */
  concerns(change: RecentChange): boolean
  /** Null for those that the views have not reached. */
  read(changes: readonly RecentChange[]): Promise<readonly (ChangedOrder | null)[]>
  signed(place: ReaderPlace): string
  /** At the end of what there is: whether the walk goes on. */
  atEnd(place: ReaderPlace): Promise<boolean>
}

/** Changes and bytes of a step, about: it is made and sent in one go. */
const STEP = 50
const STEP_BYTES = 65_536
/** Orders that are read together. */
const READ_AT_ONCE = 10
/** Until the views are looked at again, milliseconds. */
const LATE_POLL_MS = 50
/**
 * How long the views may take to reach the next change of the log, milliseconds. While changes keep
 * coming they are always behind the newest one.
 */
const LATE_MS = 30_000

/**
 * The changes from a place on, in steps, each made when it is asked for; a step may have none, and
 * move the place alone. Returns why it cannot go on; null after the abort, or when told to end.
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

/** Those that concern anybody on this walk: null, if the views have not reached it. */
async function read(walk: ChangeWalk, changes: readonly RecentChange[]) {
  const wanted = changes.filter((change) => walk.concerns(change))
  const found = wanted.length > 0 ? await walk.read(wanted) : []
  return new Map(wanted.map((change, at) => [change, found[at] ?? null]))
}

/** Signed when it is first asked for. */
function once(sign: (place: ReaderPlace) => string, place: ReaderPlace): () => string {
  let signed: string | null = null
  return () => {
    signed ??= sign(place)
    return signed
  }
}

/** Whether a place is nowhere before another one. */
export const isReached = (place: ReaderPlace, to: ReaderPlace): boolean =>
  to.every((next, partition) => (place[partition] ?? 0) >= next)

const laterOf = (one: ReaderPlace, other: ReaderPlace): ReaderPlace =>
  one.map((next, partition) => Math.max(next, other[partition] ?? 0))
