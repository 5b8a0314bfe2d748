import type { EventLog } from '../../ports/log/event-log.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { PoolSize } from '../../ports/views/unproved-pool.ts'
import { MempoolFeedRecord, TOPICS } from '../../schemas/log.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { OverBudgetError } from '../stored-budget.ts'
import { forget, lookAgain, recheckPooled } from './take-claim.ts'

/** Milliseconds between two checks for due orders. */
const TICK_MS = 1_000
/** Orders held by a process that died during a check become due again after this. */
const LEASE_MS = 60_000
/** Orders checked in one tick, a few at a time: unproved orders have the lowest priority. */
const AT_ONCE = 4
const MAX_A_TICK = 40
/** Milliseconds between two checks of a proved order whose client may not have it stored yet. */
const OVER_BUDGET_MS = 600_000
/** Records of the mempool feed, some ten minutes of mainnet: no gateway may have run meanwhile. */
const NEWS_BEFORE_START = 2 ** 12
/** The mempool feed has one partition. */
const FEED_PARTITION = 0

export interface PoolKeeping {
  gateway: CommandParts & Pick<Gateway, 'judge' | 'pool' | 'stored'>
  onSize(size: PoolSize): void
  onFault(error: unknown): void
}

/** Rechecks orders not yet proved, at the times the design names, until the signal aborts. */
export async function keepPool(keeping: PoolKeeping, signal: AbortSignal): Promise<void> {
  const { gateway, onSize, onFault } = keeping
  const { pool, clock } = gateway
  while (!signal.aborted) {
    try {
      onSize(await pool.tidy(clock.now()))
      const due = await pool.takeDue(clock.now(), LEASE_MS, MAX_A_TICK)
      const waiting = [...due]
      const work = async () => {
        for (let entry = waiting.pop(); entry && !signal.aborted; entry = waiting.pop()) {
          await look(keeping, entry, signal)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
    } catch (error) {
      if (!signal.aborted) onFault(error)
    }
    await clock.sleep(TICK_MS, signal)
  }
}

async function look(
  { gateway, onFault }: PoolKeeping,
  entry: UnprovedOrder,
  signal: AbortSignal,
): Promise<void> {
  try {
    // It may have entered the log by another route, in another wrapper.
    const logged = await gateway.views.order(entry.order.id)
    if (logged && isFixed(logged)) await forget(gateway, entry)
    else await recheck(gateway, entry, !logged, signal)
  } catch (error) {
    // Its lease expires, and it is due again.
    if (!signal.aborted) onFault(error)
  }
}

/** Once proved, it is stored at the expense of the client that imported it last, or waits for that. */
async function recheck(
  gateway: PoolKeeping['gateway'],
  entry: UnprovedOrder,
  isNewOrder: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { pool, clock } = gateway
  try {
    const storing = { client: entry.client, isNewOrder }
    if (!(await recheckPooled(gateway, entry, storing, signal))) await lookAgain(gateway, entry)
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error
    const waitMs = Math.max(OVER_BUDGET_MS, 1_000 * (error.retryAfterSeconds ?? 0))
    await pool.put({ ...entry, lookAt: clock.now() + waitMs }, entry, clock.now())
  }
}

/** No wrapper of the pool could change it any more. */
const isFixed = ({ order }: StoredOrder): boolean =>
  order.metadataFixed || order.state === 'WITHDRAWN'

/**
 * Makes a loop that wakes orders whose output entered the mempool, until the signal aborts. Begun
 * again, it goes on where it ended.
 */
export function wakeByNews(
  { pool, clock }: Pick<Gateway, 'pool' | 'clock'>,
  log: Pick<EventLog, 'read' | 'end'>,
): (signal: AbortSignal) => Promise<void> {
  let next: number | null = null
  return async (signal) => {
    next ??= Math.max(0, (await log.end(TOPICS.mempool, FEED_PARTITION)) - NEWS_BEFORE_START)
    for await (const batch of log.read(TOPICS.mempool, FEED_PARTITION, next, signal)) {
      const txids = batch.flatMap(({ value }) => {
        const record = MempoolFeedRecord.safeParse(value)
        return record.success && record.data.kind === 'added' ? [record.data.txid] : []
      })
      if (txids.length > 0) await pool.wake(txids, clock.now())
      next = (batch.at(-1)?.offset ?? next - 1) + 1
    }
  }
}
