import type { Watermark } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'

/** Confirmations after which a spend is final and the order's actor is retired. */
export const FINAL_CONFIRMATIONS = 100
/** Orders refused from the start are closed after this long. */
const REJECTED_KEPT_MS = 7 * 24 * 3_600_000
/** How often a live bid's funding is looked at: it lies in other partitions and has no continuity. */
const BID_RECHECK_MS = 5 * 60_000
/** How often a conflict that nobody resolves, or a bid whose funding is gone, is looked at again. */
const CONFLICT_RECHECK_MS = 10 * 60_000
/** How often the spender of an output that no means could name is looked for again. */
const UNKNOWN_SPENDER_RECHECK_MS = 60 * 60_000

/** What an order waits for that no news of its output will bring. */
export type Due = { action: 'recheck' | 'close' } & (
  | { on: 'watermark' }
  | { on: 'height'; height: number }
  | { on: 'medianTime'; time: number }
  | { on: 'time'; ms: number }
  /** The index at this height or above, and further than `tried` (where the last answer came from). */
  | { on: 'index'; height: number; tried: string | null }
)

const LOCKTIME_THRESHOLD = 500_000_000

/** Everything that an order waits for; empty for the many that only news can move. */
export function duesOf(order: OrderRecord): Due[] {
  if (order.closedAt !== null) return []
  const recheck = order.pending === null ? recheckOf(order) : null
  const close = closeOf(order)
  return [...(recheck ? [recheck] : []), ...(close ? [close] : [])]
}

function recheckOf(order: OrderRecord): Due | null {
  const after = (ms: number): Due => ({
    action: 'recheck',
    on: 'time',
    ms: Date.parse(order.validation.checkedAt) + ms,
  })
  switch (order.state) {
    case 'PENDING_NODE':
      return pendingNode(order.reason)
    case 'PENDING_ASSET':
      return order.outputBlock === null
        ? null
        : {
            action: 'recheck',
            on: 'index',
            height: order.outputBlock.height,
            tried: order.anchor?.index?.hash ?? null,
          }
    case 'LIVE':
      if (order.side === 'BID') return after(BID_RECHECK_MS)
      return order.anchor?.watermark == null ? { action: 'recheck', on: 'watermark' } : null
    case 'MEMPOOL_CONFLICTED':
      return after(CONFLICT_RECHECK_MS)
    case 'REJECTED':
      return order.reason.startsWith('bid_funding_') ? after(CONFLICT_RECHECK_MS) : null
    case 'SPENT':
      return order.reason === 'spender_unknown' ? after(UNKNOWN_SPENDER_RECHECK_MS) : null
    case 'SETTLED':
    case 'WITHDRAWN':
      return null
  }
}

function pendingNode(reason: string): Due {
  const until = /^not_final_until ([0-9]+)$/.exec(reason)?.[1]
  if (until === undefined) return { action: 'recheck', on: 'watermark' }
  return Number(until) < LOCKTIME_THRESHOLD
    ? { action: 'recheck', on: 'height', height: Number(until) - 1 }
    : { action: 'recheck', on: 'medianTime', time: Number(until) }
}

function closeOf({ state, spend, verifiedAt, metadataFixed, createdAt }: OrderRecord): Due | null {
  const final = spend?.block && ['SPENT', 'SETTLED', 'WITHDRAWN'].includes(state)
  if (final && spend.block) {
    return { action: 'close', on: 'height', height: spend.block.height + FINAL_CONFIRMATIONS - 1 }
  }
  const strangers = state === 'REJECTED' && !metadataFixed
  if (!strangers) return null
  const since = Date.parse(verifiedAt ?? createdAt)
  return { action: 'close', on: 'time', ms: since + REJECTED_KEPT_MS }
}

/** Is it time, now that this watermark has come? */
export function isDue(due: Due, { tip, index, indexStatus, at }: Watermark): boolean {
  switch (due.on) {
    case 'watermark':
      return true
    case 'height':
      return tip.height >= due.height
    case 'medianTime':
      return tip.medianTime >= due.time
    case 'time':
      return Date.parse(at) >= due.ms
    case 'index':
      return (
        indexStatus === 'ready' &&
        index !== null &&
        index.height >= due.height &&
        index.hash !== due.tried
      )
  }
}
