import type { EventLog } from '../../ports/log/event-log.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { PoolSize } from '../../ports/views/unproved-pool.ts'
import { MempoolFeedRecord, TOPICS } from '../../schemas/log.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { forget, recheckPooled } from './take-claim.ts'

/** Milliseconds between two checks for due orders. */
const TICK_MS = 1_000
/** Orders held by a process that died during a check become due again after this. */
const LEASE_MS = 60_000
/** Orders checked in one tick, a few at a time: unproved orders have the lowest priority. */
const AT_ONCE = 4
const MAX_A_TICK = 40
/** The mempool feed has one partition. */
const FEED_PARTITION = 0

export interface PoolKeeping {
  gateway: CommandParts & Pick<Gateway, 'judge' | 'pool'>
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
    if (logged && isFixed(logged)) await forget(gateway, entry.order.id)
    else await recheckPooled(gateway, entry, signal)
  } catch (error) {
    // Its lease expires, and it is due again.
    if (!signal.aborted) onFault(error)
  }
}

/** No wrapper of the pool could change it any more. */
const isFixed = ({ order }: StoredOrder): boolean =>
  order.metadataFixed || order.state === 'WITHDRAWN'

/** Wakes orders whose output entered the mempool, until the signal aborts. */
export async function wakeByNews(
  { pool, clock }: Pick<Gateway, 'pool' | 'clock'>,
  log: Pick<EventLog, 'read' | 'end'>,
  signal: AbortSignal,
): Promise<void> {
  const from = await log.end(TOPICS.mempool, FEED_PARTITION)
  for await (const batch of log.read(TOPICS.mempool, FEED_PARTITION, from, signal)) {
    const txids = batch.flatMap(({ value }) => {
      const record = MempoolFeedRecord.safeParse(value)
      return record.success && record.data.kind === 'added' ? [record.data.txid] : []
    })
    if (txids.length > 0) await pool.wake(txids, clock.now())
  }
}
