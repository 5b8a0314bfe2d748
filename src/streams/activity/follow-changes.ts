import { Observable, ReplaySubject, retry, share } from 'rxjs'
import { z } from 'zod'
import { toActivity } from '../../domain/order/activity.ts'
import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { OrderId, OrderState, Timestamp, Txid } from '../../schemas/scalars.ts'
import { pause } from '../operators/pause.ts'
import {
  type KnownBefore,
  type NextChanges,
  NOT_KNOWN,
  type RecentChange,
  RecentChanges,
  withKnown,
} from './recent-changes.ts'

export interface FollowChangesOptions {
  log: Pick<EventLog, 'partitions' | 'read' | 'stored' | 'end'>
  clock: Pick<Clock, 'sleep'>
  /** The log could not be read; reading starts again soon. */
  onFailure(error: unknown): void
  limits?: FollowLimits
}

export interface FollowLimits {
  /** Changes kept in all; each partition keeps an equal share, at times up to twice as many. */
  kept: number
  /** Records read back in each partition when the first client comes. */
  readBack: number
  /** How long the log is followed after the last client has left, milliseconds; 0: no longer. */
  lingerMs: number
  mostRetryMs: number
}

const LIMITS: FollowLimits = {
  kept: 16_384,
  readBack: 2_048,
  lingerMs: 60_000,
  mostRetryMs: 5_000,
}
const FIRST_RETRY_MS = 100

/**
 * The newest changes, emitted after each read of the log: the first has what was stored already.
 * The log is followed while there is a subscriber, once for all of them.
 */
export function followChanges({
  log,
  clock,
  onFailure,
  limits = LIMITS,
}: FollowChangesOptions): Observable<RecentChanges> {
  return new Observable<RecentChanges>((subscriber) => {
    const stop = new AbortController()
    readAll(log, limits, (recent) => subscriber.next(recent), stop.signal).catch((error) =>
      subscriber.error(error),
    )
    return () => stop.abort()
  }).pipe(
    retry({
      delay: (error, failures) => {
        const retry = { firstMs: FIRST_RETRY_MS, lastMs: limits.mostRetryMs }
        onFailure(error)
        return pause(clock, backoffMs(failures - 1, retry))
      },
      resetOnSuccess: true,
    }),
    share({
      connector: () => new ReplaySubject<RecentChanges>(1),
      resetOnRefCountZero: limits.lingerMs === 0 || (() => lingering(limits.lingerMs)),
    }),
  )
}

/** Emits after `ms` milliseconds; a process that is otherwise done does not wait for it. */
const lingering = (ms: number): Observable<void> =>
  new Observable((subscriber) => {
    const ending = setTimeout(() => subscriber.next(), ms)
    ending.unref()
    return () => clearTimeout(ending)
  })

/** Reads every partition until the signal aborts; throws what a read throws. */
async function readAll(
  log: FollowChangesOptions['log'],
  { kept, readBack }: FollowLimits,
  show: (recent: RecentChanges) => void,
  signal: AbortSignal,
): Promise<void> {
  const partitions = Array.from({ length: log.partitions }, (_, partition) => partition)
  const ends = await Promise.all(
    partitions.map((partition) => log.end(TOPICS.lifecycle, partition)),
  )
  const begins = ends.map((end) => Math.max(0, end - readBack))
  const recent = new RecentChanges(begins, Math.ceil(kept / log.partitions))
  const add = (partition: number, batch: readonly Stored<unknown>[]): number => {
    const next = (batch.at(-1)?.offset ?? -1) + 1
    recent.add(partition, next, batch.flatMap(changeIn))
    return next
  }
  const readStored = async (partition: number): Promise<number> => {
    let next = ends[partition] ?? 0
    const from = begins[partition] ?? 0
    if (from < next) {
      for await (const batch of log.stored(TOPICS.lifecycle, partition, from)) {
        if (signal.aborted) return next
        next = Math.max(next, add(partition, batch))
      }
    }
    recent.add(partition, next, [])
    return next
  }
  const froms = await Promise.all(partitions.map(readStored))
  if (signal.aborted) return
  show(recent)
  await Promise.all(
    partitions.map(async (partition) => {
      const from = froms[partition] ?? 0
      for await (const batch of log.read(TOPICS.lifecycle, partition, from, signal)) {
        add(partition, batch)
        show(recent)
      }
    }),
  )
}

/** The next changes of a partition as the log has them: for a reader that fell behind. */
export async function readChanges(
  log: Pick<EventLog, 'stored' | 'end'>,
  { partition, from, most }: { partition: number; from: number; most: number },
): Promise<NextChanges> {
  const changes: RecentChange[] = []
  const known = new Map<OrderId, KnownBefore>()
  // Offsets have holes: without a record up to here there is none.
  const end = await log.end(TOPICS.lifecycle, partition)
  let next = from
  for await (const batch of log.stored(TOPICS.lifecycle, partition, from)) {
    for (const record of batch) {
      changes.push(...changeIn(record).map((change) => withKnown(change, known)))
      next = record.offset + 1
      if (changes.length === most) return { changes, next }
    }
  }
  return { changes, next: Math.max(next, end) }
}

/** The fields of a change record that are needed: its evidence may be long, and is not parsed. */
const Change = z.object({
  kind: z.enum(['transition', 'verified', 'noted']),
  orderId: OrderId,
  seq: z.int().positive(),
  fromState: OrderState.nullable(),
  toState: OrderState,
  reason: z.string(),
  actor: z.string(),
  observedAt: Timestamp,
  set: z.looseObject({ spend: z.object({ txid: Txid }).nullable().optional() }),
  unset: z.array(z.string()),
})

/** What a verification sets although nothing that is followed changes: when, by which answers, what waits for it. */
const RENEWED: ReadonlySet<string> = new Set<keyof OrderRecord>([
  'updatedAt',
  'verifiedAt',
  'anchor',
  'validation',
  'outputBlock',
  'indexProof',
  'settlement',
  'claims',
  'proved',
])
/** States of orders whose output something spends, or may. */
const SPENT: ReadonlySet<OrderState> = new Set<OrderState>([
  'MEMPOOL_CONFLICTED',
  'SPENT',
  'SETTLED',
  'WITHDRAWN',
])

/** Outcomes of requests are left out. */
function changeIn({ partition, offset, value }: Stored<unknown>): RecentChange[] {
  const { success, data } = Change.safeParse(value)
  if (!success) return []
  const { orderId, seq, observedAt, kind, fromState, set, unset } = data
  const isVerified = kind === 'verified'
  const isRenewal =
    isVerified && unset.length === 0 && Object.keys(set).every((field) => RENEWED.has(field))
  const mayReplace = fromState !== null && SPENT.has(fromState)
  const change = {
    partition,
    offset,
    orderId,
    seq,
    observedAt,
    entry: toActivity(data),
    isVerified,
  }
  return [
    {
      ...change,
      ...(isRenewal && { renewal: NOT_KNOWN }),
      ...(set.spend !== undefined && { spender: { now: set.spend?.txid ?? null, mayReplace } }),
    },
  ]
}
