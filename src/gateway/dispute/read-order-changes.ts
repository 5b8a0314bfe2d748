import type { EventLog } from '../../ports/log/event-log.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import type { ChangePlace } from '../../ports/views/order-versions.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { ChangeRecord, TOPICS } from '../../schemas/log.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** Offsets that one reading covers: a change beyond them has another. */
const COVERED = 500

/**
 * The changes of an order from the lifecycle log, by their places in the history, in that order. The
 * newest are read first: once the signal aborts, those before them are left out.
 *
 * @throws HistoryUnavailableError the log does not have them there
 * @throws the signal's reason if it aborts before any was read
 */
export async function readOrderChanges(
  log: Pick<EventLog, 'stored'>,
  orderId: OrderId,
  places: readonly ChangePlace[],
  signal: AbortSignal,
): Promise<ChangeRecord[]> {
  let found: ChangeRecord[] = []
  for (const near of placesTogether(places).reverse()) {
    // A log that hangs, too, leaves what was read before.
    const read = await untilAborted(readNear(log, orderId, near, signal), signal, () => null)
    if (read === null) break
    found = [...read, ...found]
  }
  if (found.length === 0) signal.throwIfAborted()
  return found
}

function placesTogether(places: readonly ChangePlace[]): [ChangePlace, ...ChangePlace[]][] {
  const together: [ChangePlace, ...ChangePlace[]][] = []
  for (const place of places) {
    const near = together.at(-1)
    const isNear =
      near?.[0].partition === place.partition && place.offset < near[0].offset + COVERED
    if (near && isNear) near.push(place)
    else together.push([place])
  }
  return together
}

async function readNear(
  log: Pick<EventLog, 'stored'>,
  orderId: OrderId,
  places: readonly [ChangePlace, ...ChangePlace[]],
  signal: AbortSignal,
): Promise<ChangeRecord[]> {
  const [first] = places
  const until = (places.at(-1) ?? first).offset + 1
  const found: ChangeRecord[] = []
  for await (const batch of log.stored(TOPICS.lifecycle, first.partition, first.offset, until)) {
    signal.throwIfAborted()
    for (const stored of batch) {
      const place = places[found.length]
      if (place?.offset === stored.offset)
        found.push(requireChange(stored.value, orderId, place.seq))
    }
  }
  if (found.length < places.length) throw elsewhere(orderId)
  return found
}

function requireChange(value: unknown, orderId: OrderId, seq: number): ChangeRecord {
  const { data: change } = ChangeRecord.safeParse(value)
  if (change?.orderId !== orderId || change.seq !== seq) throw elsewhere(orderId)
  return change
}

const elsewhere = (orderId: OrderId) =>
  new HistoryUnavailableError(`the log does not have the changes of ${orderId} where its rows say`)
