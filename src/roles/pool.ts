import type { Gateway } from '../gateway/gateway.ts'
import { keepPool, wakeByNews } from '../gateway/keep-pool.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Foundation } from './foundation.ts'
import { supervise } from './supervise.ts'

/** Looks after the orders that proved nothing yet, until the closer ends. */
export function runPool(
  foundation: Foundation,
  gateway: Gateway,
  log: Pick<EventLog, 'read' | 'end'>,
): void {
  const { metrics, fault } = foundation
  let size = { orders: 0, bytes: 0 }
  metrics.watch(
    'market_unproved_orders',
    'Orders that proved nothing yet: kept apart, for a day at most.',
    () => size.orders,
  )
  metrics.watch('market_unproved_bytes', 'What they take in the store.', () => size.bytes)
  const onFault = fault('unproved')
  const keeping = {
    gateway,
    onSize: (now: typeof size) => {
      size = now
    },
    onFault,
  }
  supervise('unproved orders', foundation, (signal) => keepPool(keeping, signal))
  supervise('news for unproved orders', foundation, (signal) => wakeByNews(gateway, log, signal))
}
