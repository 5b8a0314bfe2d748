import type { CommandRecord, OutputRecord, SpendRecord } from '../../schemas/log.ts'
import type { Moment, OrderEvent } from '../events/order-events.ts'

type Word = Exclude<CommandRecord, { command: 'import' | 'audit' }>

/** Does it wait for the order's next answer? An import a gateway verified always finds room. */
export const addsWaiting = (command: CommandRecord): boolean =>
  command.command === 'revalidate' || (command.command === 'import' && !command.claim.published)

/** The event that a command about an order becomes for its actor. */
export function commandEvent(word: Word, moment: Moment): OrderEvent {
  const { requestId } = word
  if (word.command === 'revalidate') return { type: 'REVALIDATE', requestId, ...moment }
  const { reason } = word
  const said = { requestId, ...(reason === undefined ? {} : { reason }), ...moment }
  if (word.command !== 'withdraw') {
    const type = word.command === 'hide' ? 'HIDE' : 'UNHIDE'
    return { type, operator: word.operator, ...said }
  }
  const { by, operator } = word
  return { type: 'WITHDRAW', by, ...(operator === undefined ? {} : { operator }), ...said }
}

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
