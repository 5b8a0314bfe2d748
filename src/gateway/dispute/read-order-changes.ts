import type { EventLog } from '../../ports/log/event-log.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import type { ChangePlace } from '../../ports/views/order-versions.ts'
import { ChangeRecord, TOPICS } from '../../schemas/log.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** A reader reads on over a gap of up to this many offsets; over a larger one it starts again. */
const NEAR = 500

/**
 * The changes of an order from the lifecycle log, by their places in the history, in that order.
 * Rejects with the signal's reason once that aborts.
 *
 * @throws HistoryUnavailableError the log does not have them there
 */
export async function readOrderChanges(
  log: Pick<EventLog, 'stored'>,
  orderId: OrderId,
  places: readonly ChangePlace[],
  signal: AbortSignal,
): Promise<ChangeRecord[]> {
  const found: ChangeRecord[] = []
  while (found.length < places.length) {
    const before = found.length
    const { partition = 0, offset = 0 } = places[before] ?? {}
    for await (const batch of log.stored(TOPICS.lifecycle, partition, offset)) {
      signal.throwIfAborted()
      for (const stored of batch) {
        const place = places[found.length]
        if (place?.offset === stored.offset && place.partition === partition)
          found.push(requireChange(stored.value, orderId, place.seq))
      }
      const next = places[found.length]
      const reached = batch.at(-1)?.offset ?? offset
      if (!next || next.partition !== partition || next.offset > reached + NEAR) break
    }
    if (found.length === before) throw elsewhere(orderId)
  }
  return found
}

function requireChange(value: unknown, orderId: OrderId, seq: number): ChangeRecord {
  const { data: change } = ChangeRecord.safeParse(value)
  if (change?.orderId !== orderId || change.seq !== seq) throw elsewhere(orderId)
  return change
}

const elsewhere = (orderId: OrderId) =>
  new HistoryUnavailableError(`the log does not have the changes of ${orderId} where its rows say`)
