import type { OutputRecord, SpendRecord } from '../../schemas/log.ts'
import type { Moment, OrderEvent } from '../events/order-events.ts'

/** The event that a chain record becomes for the orders of its output. */
export function newsEvent(record: SpendRecord | OutputRecord, moment: Moment): OrderEvent {
  if (record.kind === 'output') {
    const types = {
      seen: 'OUTPUT_SEEN',
      confirmed: 'OUTPUT_CONFIRMED',
      unconfirmed: 'OUTPUT_UNCONFIRMED',
      gone: 'OUTPUT_GONE',
    } as const
    return { type: types[record.change], block: record.block, ...moment }
  }
  const types = {
    seen: 'SPEND_SEEN',
    dropped: 'SPEND_DROPPED',
    confirmed: 'SPEND_CONFIRMED',
    unconfirmed: 'SPEND_UNCONFIRMED',
  } as const
  return { type: types[record.change], spend: record.spend, ...moment }
}
