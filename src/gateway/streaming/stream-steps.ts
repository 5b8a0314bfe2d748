import type { Clock } from '../../ports/runtime/clock.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { ReaderPlace, RecentChanges } from '../../streams/activity/recent-changes.ts'
import type { Gateway } from '../gateway.ts'
import type { AskedFilters } from '../reading/summarise.ts'
import { type ChangedOrders, textFor } from './changed-orders.ts'

/** What streams follow: those with the same query follow the same. */
export interface FollowedQuery {
  gateway: Gateway
  changed: ChangedOrders
  /** The query that their cursors are bound to. */
  query: string
  /** Absent: every order that the filters have. */
  orderId: OrderId | undefined
  filters: AskedFilters
}

/** A change as an event: its JSON, and the position at which a client that has received it resumes. */
export interface StreamedChange {
  event: 'change'
  orderId: OrderId
  seq: number
  id: string
  data: string
}

export interface StreamStep {
  changes: readonly StreamedChange[]
  place: ReaderPlace
  /** The views have not reached the next change. */
  isLate: boolean
  hasMore: boolean
}

/** Changes per step: between two steps the event loop is free. */
const STEP = 50

/** How long the views may take to reach a change of the log, milliseconds. */
const LATE_MS = 30_000

/** Told of each step, says whether the views have been late for too long. */
export function patienceWithViews(
  clock: Pick<Clock, 'monotonic'>,
): (step: Pick<StreamStep, 'isLate'>) => boolean {
  let lateSince: number | null = null
  return ({ isLate }) => {
    lateSince = isLate ? (lateSince ?? clock.monotonic()) : null
    return lateSince !== null && clock.monotonic() - lateSince > LATE_MS
  }
}

/** The changes from a place on, up to another place at most. */
export async function stepFrom(
  followed: FollowedQuery,
  recent: RecentChanges,
  { from, to }: { from: ReaderPlace; to: ReaderPlace },
): Promise<StreamStep> {
  const { changed, orderId, filters } = followed
  const next = recent.between(from, to, STEP)
  const place = [...from]
  const changes: StreamedChange[] = []
  for (const change of next) {
    const { partition, offset, seq } = change
    if (orderId === undefined || change.orderId === orderId) {
      const texts = await changed.of(change)
      if (!texts) return { changes, place, isLate: true, hasMore: true }
      place[partition] = offset + 1
      const data = textFor(texts, orderId === undefined ? filters : null)
      if (data !== null)
        changes.push({
          event: 'change',
          orderId: change.orderId,
          seq,
          id: idAt(followed, place),
          data,
        })
    } else place[partition] = offset + 1
  }
  const hasMore = next.length === STEP
  return { changes, place: hasMore ? place : laterOf(place, to), isLate: false, hasMore }
}

/** Whether a place is nowhere before another one. */
export const isReached = (place: ReaderPlace, to: ReaderPlace): boolean =>
  to.every((next, partition) => (place[partition] ?? 0) >= next)

const laterOf = (one: ReaderPlace, other: ReaderPlace): ReaderPlace =>
  one.map((next, partition) => Math.max(next, other[partition] ?? 0))

export const idAt = (
  { gateway, query }: Pick<FollowedQuery, 'gateway' | 'query'>,
  place: ReaderPlace,
) => gateway.cursors.encode(query, place)
