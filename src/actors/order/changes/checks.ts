import type { OrderRecord, PendingCheck, WaitingRequest } from '../../../schemas/order-record.ts'
import type { Moment } from '../../events/order-events.ts'

type Purpose = PendingCheck['purpose']

/** Most requests waiting for the questions of one order: they are stored in its snapshot. */
const MAX_REQUESTS = 64

/**
 * Asks a question. If one is pending already, news marks it touched, so that its answer is not
 * used; a request waits for the next one, so that repeated requests cannot keep an order from its
 * verdict.
 */
export function ask(
  order: OrderRecord,
  moment: Moment,
  purpose: Purpose,
  request: WaitingRequest | null = null,
): OrderRecord {
  if (!order.pending) return begin(order, moment, purpose, request ? [request] : [])
  if (!request) return touch(order)
  return { ...order, pending: { ...order.pending, late: [...order.pending.late, request] } }
}

/** News came while a question was pending: its answer may be older than the news. */
export function touch(order: OrderRecord): OrderRecord {
  if (!order.pending) return order
  const purpose = order.pending.purpose === 'request' ? 'recheck' : order.pending.purpose
  return { ...order, pending: { ...order.pending, touched: true, purpose } }
}

/** The same question once more, for all requests waiting by now. */
export function askAgain(order: OrderRecord, moment: Moment): OrderRecord {
  if (!order.pending) return order
  const { purpose, requests, late } = order.pending
  return begin(order, moment, purpose, [...requests, ...late])
}

/** The question stays pending, and is asked again once the chain is followed further. */
export const awaitChain = (order: OrderRecord): OrderRecord =>
  order.pending ? { ...order, pending: { ...order.pending, awaitsChain: true } } : order

/** Do as many requests wait as a snapshot may hold? One more is refused before any step. */
export const hasMaxWaiting = ({ pending }: OrderRecord): boolean =>
  (pending ? pending.requests.length + pending.late.length : 0) >= MAX_REQUESTS

/** Does any request wait for the question after this one? */
export const hasLate = ({ pending }: OrderRecord): boolean => (pending?.late.length ?? 0) > 0

/** The question is answered; the next one is asked for requests that came late. */
export function end(order: OrderRecord, moment: Moment): OrderRecord {
  const late = order.pending?.late ?? []
  if (late.length === 0) return { ...order, pending: null }
  const isImport = late.some(({ kind }) => kind === 'import')
  return begin(order, moment, isImport ? 'import' : 'request', late)
}

/**
 * An authority is unavailable. A request changes nothing; any other question stays owed, so what
 * was proved does not count as continuous until the question has been asked again.
 */
export function deferRecheck(order: OrderRecord): OrderRecord {
  if (order.pending?.purpose === 'request' || !order.anchor) return order
  return loseContinuity(order)
}

/** The order is again only as fresh as its own verification, not as its partition. */
export const loseContinuity = (order: OrderRecord): OrderRecord =>
  order.anchor ? { ...order, anchor: { ...order.anchor, watermark: null } } : order

function begin(
  order: OrderRecord,
  { watermark }: Moment,
  purpose: Purpose,
  requests: WaitingRequest[],
): OrderRecord {
  const attempt = order.attempt + 1
  return {
    ...order,
    attempt,
    pending: {
      attempt,
      begunAt: watermark && { epoch: watermark.epoch, n: watermark.n },
      mempoolSequence: watermark?.mempoolSequence ?? null,
      touched: false,
      asked: order.claims.length,
      requests,
      late: [],
      purpose,
    },
  }
}
