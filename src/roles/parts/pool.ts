import type { Gateway } from '../../gateway/gateway.ts'
import { keepPool, wakeByNews } from '../../gateway/intake/keep-pool.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'

/** Maintains the pool of orders not yet proved, until the closer ends. */
export function runPool(
  context: RuntimeContext,
  gateway: Gateway,
  log: Pick<EventLog, 'read' | 'end'>,
): void {
  const { metrics, fault } = context
  let size = { orders: 0, bytes: 0 }
  metrics.watch(
    'market_unproved_orders',
    'Orders without a proof yet, kept in the pool for at most a day.',
    () => size.orders,
  )
  metrics.watch(
    'market_unproved_bytes',
    'Bytes of the unproved orders in the pool.',
    () => size.bytes,
  )
  const onFault = fault('unproved')
  const keeping = {
    gateway,
    onSize: (now: typeof size) => {
      size = now
    },
    onFault,
  }
  supervise('unproved orders', context, (signal) => keepPool(keeping, signal))
  supervise('news for unproved orders', context, wakeByNews(gateway, log))
}
