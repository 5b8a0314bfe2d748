import type { Watermark } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import { isFinalAt } from './finality.ts'
import { isProved } from './proved.ts'
import { importedAt } from './room.ts'
import { refusalOf } from './verdict.ts'

/** Confirmations after which a spend is final and the order's actor is retired. */
export const FINAL_CONFIRMATIONS = 100
/** What nobody's signature proved is closed so long after it was imported last. */
const UNPROVED_KEPT_MS = 24 * 3_600_000
/** How often a live bid's funding is looked at: it lies in other partitions and has no continuity. */
const BID_RECHECK_MS = 5 * 60_000
/** How often is looked again at what news should move, lest some of it was lost. */
const QUIET_RECHECK_MS = 10 * 60_000
/**
 * What was never LIVE costs nobody an output of their own: so long after it came it is looked at
 * again by time, and after that only when news names its output.
 */
const NEVER_LIVE_RECHECKS_MS = [10 * 60_000, 60 * 60_000, 6 * 60 * 60_000]
/** How often the spender of an output that no means could name is looked for again. */
const UNKNOWN_SPENDER_RECHECK_MS = 60 * 60_000

/** What an order waits for that no news of its output will bring. */
export type Due = {
  action: 'recheck' | 'close'
} /** The node answers again: no watermark comes before it does. */ & (
  | { on: 'node' }
  /** Node and index answer on one chain. */
  | { on: 'cover' }
  | { on: 'height'; height: number }
  /** What `notFinalUntil` named. */
  | { on: 'final'; until: number }
  | { on: 'time'; ms: number }
  /** A later life of ingest or of the node, whose mempool may have been lost with it. */
  | { on: 'epoch'; after: number }
  /** The index at this height or above, and further than `tried` (where the last answer came from). */
  | { on: 'index'; height: number; tried: string | null }
)

/** Everything that an order waits for; empty for the many that only news can move. */
export function duesOf(order: OrderRecord): Due[] {
  // While a question is out its answer decides what is next: a close would leave it unanswered.
  if (order.closedAt !== null || order.pending !== null) return []
  const rechecks = [recheckOf(order), tipOf(order), mempoolOf(order)]
  // What only waits for the node is asked about before its age counts: the node may have been away.
  const dues =
    order.state === 'PENDING_NODE' ? [...rechecks, ageOf(order)] : [ageOf(order), ...rechecks]
  return [...dues, finalOf(order)].filter((due) => due !== null)
}

function recheckOf(order: OrderRecord): Due | null {
  if (refusalOf(order.kept.inspection) !== null) return null
  const until = lockOf(order)
  if (order.state === 'PENDING_NODE' && until === null) return { action: 'recheck', on: 'node' }
  // Verified under no watermark, or owed a recheck that an authority could not answer.
  if (order.anchor?.watermark == null) return { action: 'recheck', on: 'cover' }
  return until === null ? recheckOfVerified(order) : { action: 'recheck', on: 'final', until }
}

function lockOf({ state, reason }: OrderRecord): number | null {
  const until = /^not_final_until ([0-9]+)$/.exec(reason)?.[1]
  return state === 'PENDING_NODE' && until !== undefined ? Number(until) : null
}

function recheckOfVerified(order: OrderRecord): Due | null {
  const after = (ms: number): Due | null =>
    order.metadataFixed
      ? { action: 'recheck', on: 'time', ms: Date.parse(order.validation.checkedAt) + ms }
      : neverLiveRecheck(order)
  switch (order.state) {
    case 'PENDING_ASSET':
      return order.outputBlock === null ? after(QUIET_RECHECK_MS) : awaitIndex(order)
    case 'LIVE':
      return order.side === 'BID' ? after(BID_RECHECK_MS) : null
    case 'MEMPOOL_CONFLICTED':
      return after(QUIET_RECHECK_MS)
    case 'REJECTED':
      return order.reason === 'bid_funding_spent' ? after(QUIET_RECHECK_MS) : null
    case 'SPENT':
      return order.reason === 'spender_unknown' ? after(UNKNOWN_SPENDER_RECHECK_MS) : null
    case 'PENDING_NODE':
    case 'SETTLED':
    case 'WITHDRAWN':
      return null
  }
}

function neverLiveRecheck({ createdAt, validation }: OrderRecord): Due | null {
  const checked = Date.parse(validation.checkedAt)
  const times = NEVER_LIVE_RECHECKS_MS.map((ms) => Date.parse(createdAt) + ms)
  const ms = times.find((time) => time > checked)
  return ms === undefined ? null : { action: 'recheck', on: 'time', ms }
}

// The answers of a node may run ahead of what is followed. Of a block that only they knew no news
// tells that it is gone: what it decided is asked again once the chain is followed to its height.
function tipOf({ kept, anchor }: OrderRecord): Due | null {
  if (refusalOf(kept.inspection) !== null || !anchor?.ahead) return null
  return { action: 'recheck', on: 'height', height: anchor.tip.height }
}

// Nor of a transaction.
function mempoolOf({ state, outputBlock, anchor }: OrderRecord): Due | null {
  const isUnconfirmed = state === 'PENDING_ASSET' && outputBlock === null
  if ((state !== 'MEMPOOL_CONFLICTED' && !isUnconfirmed) || anchor?.watermark == null) return null
  return { action: 'recheck', on: 'epoch', after: anchor.watermark.epoch }
}

const awaitIndex = ({ outputBlock, anchor }: OrderRecord): Due => ({
  action: 'recheck',
  on: 'index',
  height: outputBlock?.height ?? 0,
  tried: anchor?.index?.hash ?? null,
})

function finalOf({ state, spend }: OrderRecord): Due | null {
  if (!spend?.block || !['SPENT', 'SETTLED', 'WITHDRAWN'].includes(state)) return null
  return { action: 'close', on: 'height', height: finalHeight(spend.block) }
}

// What is proved stays: it cost somebody an output.
function ageOf(order: OrderRecord): Due | null {
  if (isProved(order)) return null
  return { action: 'close', on: 'time', ms: Date.parse(importedAt(order)) + UNPROVED_KEPT_MS }
}

const finalHeight = ({ height }: BlockRef): number => height + FINAL_CONFIRMATIONS - 1

/** Did the node itself say that the order is spent when that was final already? */
export const isSeenFinal = ({ spend, anchor }: OrderRecord): boolean =>
  !spend?.block || (anchor?.tip.height ?? 0) >= finalHeight(spend.block)

/** Is it time, now that this watermark has come? */
export function dueAt({ epoch, tip, index, covers, at }: Watermark): (due: Due) => boolean {
  const now = Date.parse(at)
  return (due) => {
    switch (due.on) {
      case 'node':
        return true
      case 'cover':
        return covers
      case 'height':
        return tip.height >= due.height
      case 'final':
        return isFinalAt(due.until, tip)
      case 'time':
        return now >= due.ms
      case 'epoch':
        return epoch > due.after
      case 'index':
        return index !== null && index.height >= due.height && index.hash !== due.tried
    }
  }
}
