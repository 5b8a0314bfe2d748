import type { Watermark } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { BlockRef, OrderState } from '../../schemas/scalars.ts'
import type { ReasonOf } from '../reasons/reasons.ts'
import { isFinalAt } from '../verdict/finality.ts'
import { refusalOf } from '../verdict/verdict.ts'
import { CLOCK_SKEW_MS } from './order-summary.ts'
import { isProved } from './proved.ts'
import { importedAt } from './room.ts'

/** Confirmations after which a spend is final and the order's actor is retired. */
export const FINAL_CONFIRMATIONS = 100
/** An order that no signature proved is closed this long after its last import. */
const UNPROVED_KEPT_MS = 24 * 3_600_000
/** How often an order that news should move is rechecked, in case some news was lost. */
const QUIET_RECHECK_MS = 10 * 60_000
/** By then the mempool has been read again; also longer than two hosts' clocks may differ. */
const NEXT_LOOK_MS = 2_000
/**
 * An order that was never LIVE cost its sender no output: the node is asked again this long after it was
 * imported, and from then on only when news names its output.
 */
const NEVER_LIVE_RECHECKS_MS = [10 * 60_000, 60 * 60_000, 6 * 60 * 60_000]
/**
 * An order that the index gave no answer for is asked about again after as long as it has waited,
 * at most `QUIET_RECHECK_MS`; each confirmation of its output counts as no more than this.
 */
const WAITED_PER_BLOCK_MS = 10_000
/** How often the spender of an output is looked for again if no source could name it. */
const UNKNOWN_SPENDER_RECHECK_MS = 60 * 60_000

/** What an order waits for that no news of its output will bring. */
export type Due = {
  action: 'recheck' | 'close'
} /** The node answers again: no watermark comes before that. */ & (
  | { on: 'node' }
  /** Node and index answer on one chain. */
  | { on: 'cover' }
  | { on: 'height'; height: number }
  /** The chain is followed to this height: while nothing covers, to another block than `tried`. */
  | { on: 'tip'; height: number; tried: string }
  /** What `notFinalUntil` returned. */
  | { on: 'final'; until: number }
  | { on: 'time'; ms: number }
  /** This long after it was checked. */
  | ({ on: 'check'; waitMs: number } & Checked)
  /** That time, Unix milliseconds, unless the clock was set back since the node was asked. */
  | ({ on: 'next'; ms: number } & Checked)
  /** A later epoch of ingest or of the node, whose mempool may have been lost with the last. */
  | { on: 'epoch'; after: number }
  /**
   * The index at this height or above, and no longer at `tried`, its tip at the last answer. Null:
   * it gave none, and is asked again this long after the order was checked.
   */
  | ({ on: 'index'; height: number; tried: string | null; waitMs: number } & Checked)
)

/** When an order was checked, and when the node was asked, Unix milliseconds; under which tip. */
interface Checked {
  checked: number
  asked: number
  tipHeight: number
}

/** States that do not depend on a bid's own outputs, whatever happens to them. */
const OVER: ReadonlySet<OrderState> = new Set(['SPENT', 'SETTLED', 'WITHDRAWN'])
const FUNDING_SPENT: ReasonOf<'REJECTED'> = 'bid_funding_spent'

/** May a bid's funding change its state, or the answer that it waits for? */
export function awaitsFunding({ kept, closedAt, state, reason, pending }: OrderRecord): boolean {
  if (kept.offer.side !== 'BID' || closedAt !== null) return false
  if (pending !== null) return true
  return state === 'REJECTED' ? reason === FUNDING_SPENT : !OVER.has(state)
}

/** Does it wait for more than news of its own output? A new owner of its partition reads it. */
export const isUnsettled = (order: OrderRecord): boolean =>
  order.pending !== null || duesOf(order).length > 0 || awaitsFunding(order)

/** Everything that an order waits for; empty for the many that only news can move. */
export function duesOf(order: OrderRecord): Due[] {
  if (order.closedAt !== null) return []
  if (order.pending?.awaitsChain) return [{ action: 'recheck', on: 'cover' }]
  // While a question is pending its answer decides what is next: a close would leave it unanswered.
  if (order.pending !== null) return []
  const rechecks = [recheckOf(order), tipOf(order), spenderUnreported(order), mempoolOf(order)]
  // An order waiting for the node is rechecked before its age counts: the node may have been away.
  const dues =
    order.state === 'PENDING_NODE' ? [...rechecks, ageOf(order)] : [ageOf(order), ...rechecks]
  return [...dues, finalOf(order)].filter((due) => due !== null)
}

function recheckOf(order: OrderRecord): Due | null {
  if (refusalOf(order.kept.inspection) !== null) return null
  const until = lockOf(order)
  if (order.state === 'PENDING_NODE' && until === null) return { action: 'recheck', on: 'node' }
  // Verified under no watermark, or due a recheck that an authority could not answer.
  if (order.anchor?.watermark == null) return { action: 'recheck', on: 'cover' }
  return until === null ? recheckOfVerified(order) : { action: 'recheck', on: 'final', until }
}

function lockOf({ state, reason }: OrderRecord): number | null {
  const until = /^not_final_until ([0-9]+)$/.exec(reason)?.[1]
  return state === 'PENDING_NODE' && until !== undefined ? Number(until) : null
}

function recheckOfVerified(order: OrderRecord): Due | null {
  const after = (ms: number): Due | null =>
    order.metadataFixed ? afterCheck(order, ms) : neverLiveRecheck(order)
  switch (order.state) {
    case 'PENDING_ASSET':
      return order.outputBlock === null ? after(QUIET_RECHECK_MS) : awaitIndex(order)
    case 'MEMPOOL_CONFLICTED':
      return after(QUIET_RECHECK_MS)
    case 'SPENT':
      return order.reason === 'spender_unknown' ? after(UNKNOWN_SPENDER_RECHECK_MS) : null
    case 'LIVE':
    case 'PENDING_NODE':
    case 'REJECTED':
    case 'SETTLED':
    case 'WITHDRAWN':
      return null
  }
}

/**
 * When the node was asked decides, not when the order was checked, which news and a clock that was set
 * back move on. A question counts for a time that it preceded by no more than hosts' clocks differ.
 */
function neverLiveRecheck(order: OrderRecord): Due | null {
  const checked = checkedOf(order)
  const { asked } = checked
  const from = importedBefore(asked, order) ?? asked
  const ms = NEVER_LIVE_RECHECKS_MS.map((after) => from + after).find(
    (time) => time - asked > CLOCK_SKEW_MS,
  )
  return ms === undefined ? null : { action: 'recheck', on: 'next', ms, ...checked }
}

/** When it was imported; null: by a clock that was set back before the node was asked. */
function importedBefore(asked: number, { createdAt }: OrderRecord): number | null {
  const imported = Date.parse(createdAt)
  return isAhead(imported, asked) ? null : imported
}

// The node's answers may run ahead of the followed chain. If a block known only to the node is
// lost, no news reports it: verdicts based on it are rechecked once the chain reaches its height.
// While no watermark covers, an answer is also ahead of the last that did; once the chain has come
// to its block, news reports the loss of it.
function tipOf({ kept, anchor }: OrderRecord): Due | null {
  if (refusalOf(kept.inspection) !== null || !anchor?.ahead) return null
  const { height, hash } = anchor.tip
  return { action: 'recheck', on: 'tip', height, tried: hash }
}

// No news reports a transaction that came and went between two reads of the mempool either. One
// still there at the next read has been reported, and so its removal will be.
function spenderUnreported(order: OrderRecord): Due | null {
  if (refusalOf(order.kept.inspection) !== null || !order.anchor?.unheard) return null
  return afterCheck(order, NEXT_LOOK_MS)
}

const afterCheck = (order: OrderRecord, waitMs: number): Due => ({
  action: 'recheck',
  on: 'check',
  waitMs,
  ...checkedOf(order),
})

function checkedOf({ validation, verifiedAt, anchor }: OrderRecord): Checked {
  const checked = Date.parse(validation.checkedAt)
  const asked = verifiedAt === null ? checked : Date.parse(verifiedAt)
  return { checked, asked, tipHeight: anchor?.tip.height ?? 0 }
}

// Nor one that was lost when the node restarted.
function mempoolOf({ state, outputBlock, anchor }: OrderRecord): Due | null {
  const isUnconfirmed = state === 'PENDING_ASSET' && outputBlock === null
  if ((state !== 'MEMPOOL_CONFLICTED' && !isUnconfirmed) || anchor?.watermark == null) return null
  return { action: 'recheck', on: 'epoch', after: anchor.watermark.epoch }
}

// One output may get no answer for ever, while the index answers for all others: what follows every
// watermark must follow an answer.
function awaitIndex(order: OrderRecord): Due {
  const { outputBlock, anchor } = order
  const height = outputBlock?.height ?? 0
  const tried = anchor?.index?.hash ?? null
  const checked = checkedOf(order)
  const imported = importedBefore(checked.asked, order)
  const confirmations = (anchor?.tip.height ?? height) - height + 1
  const waitMs = Math.min(
    imported === null ? QUIET_RECHECK_MS : checked.checked - imported,
    confirmations * WAITED_PER_BLOCK_MS,
    QUIET_RECHECK_MS,
  )
  return { action: 'recheck', on: 'index', height, tried, waitMs, ...checked }
}

function finalOf({ state, spend }: OrderRecord): Due | null {
  if (!spend?.block || !['SPENT', 'SETTLED', 'WITHDRAWN'].includes(state)) return null
  return { action: 'close', on: 'height', height: finalHeight(spend.block) }
}

// A proved order is not closed by age: it cost its owner an output.
function ageOf(order: OrderRecord): Due | null {
  if (isProved(order)) return null
  return { action: 'close', on: 'time', ms: Date.parse(importedAt(order)) + UNPROVED_KEPT_MS }
}

const finalHeight = ({ height }: BlockRef): number => height + FINAL_CONFIRMATIONS - 1

/** Did the node itself report the order as spent when the spend was already final? */
export const isSeenFinal = ({ spend, anchor }: OrderRecord): boolean =>
  !spend?.block || (anchor?.tip.height ?? 0) >= finalHeight(spend.block)

/**
 * Is news of its output still followed, or none expected any more? An order closed before its spend
 * was final shows its state at the close.
 */
export const isFollowed = ({ closedAt, spend }: OrderRecord, tip: { height: number }): boolean =>
  closedAt === null || (!!spend?.block && tip.height >= finalHeight(spend.block))

/**
 * Is it due this long after it was checked? No change is earlier than the one before it, so `checked` goes
 * on where a clock was set back. So a wait counts from when the node was asked, unless news moved the
 * order long after; one that is shorter than clocks may differ does where `checked` is ahead. Where the
 * node was asked before the clock was set back too, it is over with the next block.
 */
function isTimeAfter(
  { checked, asked, tipHeight, waitMs }: Checked & { waitMs: number },
  { now, tip }: { now: number; tip: { height: number } },
): boolean {
  // Otherwise it is due before `checked` ceases to be ahead, at a watermark of the minute before.
  const isMoved = waitMs <= CLOCK_SKEW_MS || checked > asked + waitMs + 2 * CLOCK_SKEW_MS
  if (isMoved && !isAhead(checked, now)) return now >= checked + waitMs
  return isAhead(asked, now) ? tip.height > tipHeight : now >= asked + waitMs
}

/** Is it a time of before a clock was set back? */
const isAhead = (time: number, now: number): boolean => time - now > CLOCK_SKEW_MS

/** Tests whether a due has come with this watermark. */
export function dueAt(watermark: Watermark): (due: Due) => boolean {
  const { epoch, tip, index, covers, at } = watermark
  const now = Date.parse(at)
  return (due) => {
    switch (due.on) {
      case 'node':
        return true
      case 'cover':
        return covers
      case 'height':
        return tip.height >= due.height
      case 'tip':
        return tip.height >= due.height && (covers || tip.hash !== due.tried)
      case 'final':
        return isFinalAt(due.until, tip)
      case 'time':
        return now >= due.ms
      case 'check':
        return isTimeAfter(due, { now, tip })
      case 'next':
        return isAhead(due.asked, now) ? tip.height > due.tipHeight : now >= due.ms
      case 'epoch':
        return epoch > due.after
      case 'index':
        if (index === null || index.height < due.height) return false
        return due.tried === null ? isTimeAfter(due, { now, tip }) : index.hash !== due.tried
    }
  }
}
