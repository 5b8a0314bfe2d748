import type { ActivityPosition, History } from '../../ports/views/history.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ActivityEntry } from '../../schemas/order.ts'

/** What an audit reads of a history. */
export type AuditedHistory = Pick<History, 'position' | 'summary' | 'activity'>

const PAGE = 1_000
const ATTEMPTS = 5
/** A batch is written table by table: what was being written has come by then, milliseconds. */
const SETTLED_MS = 1_000

/**
 * The history as it was while nothing came to it: read again until its positions before and after are
 * the same. One that grew each time, or is away, is a history whose every answer says so.
 */
export const stillHistory = (
  history: AuditedHistory,
  partitions: readonly number[],
  clock: Pick<Clock, 'sleep'>,
): Promise<AuditedHistory> =>
  readStill(history, partitions, clock).catch((error: unknown) => {
    if (error instanceof HistoryUnavailableError) return unreadable(error)
    throw error
  })

async function readStill(
  history: AuditedHistory,
  partitions: readonly number[],
  clock: Pick<Clock, 'sleep'>,
): Promise<AuditedHistory> {
  const positionsOf = () => Promise.all(partitions.map((one) => history.position(one)))
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await positionsOf()
    const entries: ActivityEntry[] = []
    for await (const page of activityPages(history)) entries.push(...page)
    const orders = await readAll(history)
    await clock.sleep(SETTLED_MS)
    const after = await positionsOf()
    if (before.some((position, at) => position !== after[at])) continue
    return {
      position: async (partition) => before[partitions.indexOf(partition)] ?? 0,
      activity: async () => ({ entries, next: null }),
      summary: async function* () {
        yield* orders
      },
    }
  }
  throw new HistoryUnavailableError(
    'it grew each time it was read: stop the service to compare it with the log',
  )
}

const unreadable = (error: HistoryUnavailableError): AuditedHistory => {
  const fails = () => Promise.reject(error)
  return {
    position: fails,
    activity: fails,
    summary: () => ({ [Symbol.asyncIterator]: () => ({ next: fails }) }),
  }
}

/** The activity of all orders, page by page. */
export async function* activityPages(
  history: Pick<History, 'activity'>,
): AsyncGenerator<readonly ActivityEntry[]> {
  let after: ActivityPosition | null = null
  do {
    const page: Awaited<ReturnType<History['activity']>> = await history.activity({
      limit: PAGE,
      ...(after && { after }),
    })
    yield page.entries
    after = page.next
  } while (after)
}

async function readAll(history: Pick<History, 'summary'>) {
  const orders: { orderId: ActivityEntry['orderId']; rows: number; maxSeq: number }[] = []
  for await (const one of history.summary()) orders.push(one)
  return orders
}
