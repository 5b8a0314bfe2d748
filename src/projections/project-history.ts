import type { EventLog } from '../ports/log/event-log.ts'
import type { History, StoredRows as StoredChange } from '../ports/views/history.ts'
import type { Clock } from '../runtime/clock.ts'
import { TOPICS } from '../schemas/log.ts'
import { ChainCheck } from './chain-check.ts'
import { LogEnd } from './log-end.ts'
import { type ProjectionFailure, retryUntil } from './retry.ts'
import { RowBuffer } from './row-buffer.ts'

export interface HistoryProjection {
  log: EventLog
  history: Pick<History, 'record' | 'resumeAt' | 'verifyStored'>
  clock: Clock
  onFailure?: (failure: ProjectionFailure) => void
}

// ClickHouse makes a part of every insert: few and large ones, or it answers "too many parts".
const BATCH_ROWS = 1_000
const BATCH_MS = 1_000
const RETRY_MAX_MS = 30_000
/** A history that lost rows while no new ones arrived is refilled within this time. */
const WATCH_MS = 10_000
const HISTORY = {
  name: 'rows of the history',
  remedy: 'empty the history, and it is made of this one',
}

/**
 * Writes every change of every partition to the history until the signal aborts. While the history
 * is unavailable the rows wait in the log. After any failure, at the start, and when stored rows
 * are gone, it resumes from where the history itself reports it is complete; rows written twice
 * count once.
 */
export async function projectHistory(
  projection: HistoryProjection,
  signal: AbortSignal,
): Promise<void> {
  const { log, history, clock, onFailure } = projection
  const retry = { projection: 'history', clock, mostMs: RETRY_MAX_MS }
  const partitions = Array.from({ length: log.partitions }, (_, p) => p)
  const logEnds = partitions.map((partition) => new LogEnd(log, HISTORY, partition))
  await retryUntil({ ...retry, ...(onFailure && { onFailure }) }, signal, async (progress) => {
    const attempt = new AbortController()
    const run = AbortSignal.any([signal, attempt.signal])
    const buffer = new RowBuffer<StoredChange>(clock, BATCH_ROWS, BATCH_MS)
    // Read before anything is verified: until then a history that lost rows keeps rejecting.
    const starts = await Promise.all(partitions.map((partition) => history.resumeAt(partition)))
    await Promise.all(logEnds.map((logEnd, partition) => logEnd.require(starts[partition] ?? 0)))
    const works = [
      ...starts.map((from, partition) => collect(projection, { partition, from }, buffer, run)),
      record(projection, buffer, run, progress),
      watch(projection, run),
    ]
    try {
      await Promise.all(works)
    } finally {
      attempt.abort()
      await Promise.allSettled(works)
    }
  })
}

/**
 * Reads a partition until the signal aborts. At a change that breaks its order's chain, or that cannot be
 * read, it stays where it is, and looks again later: what precedes it is written, and other partitions
 * go on.
 */
async function collect(
  { log, clock, onFailure }: HistoryProjection,
  { partition, from }: { partition: number; from: number },
  buffer: RowBuffer<StoredChange>,
  signal: AbortSignal,
): Promise<void> {
  const chain = new ChainCheck()
  let next = from
  const untilBroken = async () => {
    for await (const batch of log.read(TOPICS.lifecycle, partition, next, signal)) {
      const { sound, broken } = chain.soundOf(batch)
      next = broken?.offset ?? (batch.at(-1)?.offset ?? next - 1) + 1
      await buffer.add(sound, signal)
      if (broken) return broken.error
    }
    return null
  }
  while (!signal.aborted) {
    const error = await untilBroken()
    if (!error) return
    const retryInMs = RETRY_MAX_MS
    onFailure?.({ projection: `history of partition ${partition}`, error, retryInMs })
    await clock.sleep(retryInMs, signal)
  }
}

async function record(
  { history }: HistoryProjection,
  buffer: RowBuffer<StoredChange>,
  signal: AbortSignal,
  progress: () => void,
): Promise<void> {
  while (!signal.aborted) {
    const rows = await buffer.take(signal)
    if (rows.length === 0) continue
    await history.record(rows)
    progress()
  }
}

async function watch({ history, clock }: HistoryProjection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(WATCH_MS, signal)
    if (!signal.aborted) await history.verifyStored()
  }
}
