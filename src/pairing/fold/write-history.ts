import type { PairingHistory, WrittenBlock } from '../../ports/folds/pairing-history.ts'
import type { PairingBlock, PairingView, PairingViews } from '../../ports/folds/pairing-views.ts'
import { HistoryLostRowsError } from '../../ports/views/history.ts'
import type { Clock } from '../../runtime/clock.ts'

export interface HistoryWriting {
  views: PairingViews
  startHeight: number
  history: PairingHistory
  clock: Clock
  /** The history is complete up to this height, and agrees with the index. */
  onWritten?: (height: number) => void
}

// ClickHouse makes a part of every insert: few and large ones, or it answers "too many parts".
const BEAT_MS = 1_000
const MAX_BLOCKS = 500
/** Transactions and events per batch, read in one go; its last block may exceed this. */
const MAX_RECORDS = 2_000
/** A history that lost rows while no new ones arrived is refilled within this time. */
const WATCH_MS = 10_000

/**
 * Keeps the rows of the history equal to the index until the signal aborts; throws what the history
 * throws, and `HistoryLostRowsError` when stored rows are gone. Started again, it resumes from where
 * the history itself reports it is complete. A block is marked as reorganised away once the index
 * has another at its height: an index being rebuilt from its first block retracts nothing.
 */
export async function writeHistory(parts: HistoryWriting, signal: AbortSignal): Promise<void> {
  const { views, startHeight, history, clock, onWritten } = parts
  const whole = await history.whole(startHeight)
  let end = await rewind(history, (block) => isSame(block, whole))
  let watchedAt = clock.monotonic()
  while (!signal.aborted) {
    const step = views.read((view) => nextStep(view, end, startHeight))
    if (step !== 'rest' || clock.monotonic() - watchedAt >= WATCH_MS) {
      await requireStored(history, end)
      watchedAt = clock.monotonic()
    }
    if (step === 'rewind' || (step === 'behind' && (await contradicts(parts)))) {
      end = await rewind(history, (block) => isFolded(views, block))
    } else if (step === 'rest' || step === 'behind') {
      await clock.sleep(BEAT_MS, signal)
    } else {
      await history.write(step)
      end = writtenOf(step.at(-1))
    }
    onWritten?.(end?.height ?? startHeight - 1)
  }
}

/** The blocks to write, or why there are none: `behind` means the index ends below the history. */
type HistoryStep = readonly PairingBlock[] | 'rest' | 'behind' | 'rewind'

function nextStep(view: PairingView, end: WrittenBlock | null, startHeight: number): HistoryStep {
  const tip = view.tip()
  if (tip === null) return 'rest'
  if (end && end.height > tip.height) return 'behind'
  if (end && !holds(view, end)) return 'rewind'
  const blocks: PairingBlock[] = []
  let records = 0
  let next = view.block(end ? end.height + 1 : startHeight)
  while (next) {
    blocks.push(next)
    for (const { events } of next.transactions) records += 1 + events.length
    if (blocks.length === MAX_BLOCKS || records >= MAX_RECORDS) break
    next = view.block(Number(next.checkpoint.height) + 1)
  }
  return blocks.length > 0 ? blocks : 'rest'
}

/** Marks canonical blocks as stale, newest first, down to the first that stays. */
async function rewind(
  history: PairingHistory,
  stays: (block: WrittenBlock) => boolean,
): Promise<WrittenBlock | null> {
  for (;;) {
    const newest = await history.lastWritten(MAX_BLOCKS)
    const found = newest.findIndex(stays)
    const stale = found === -1 ? newest : newest.slice(0, found)
    if (stale.length > 0) await history.markStale(stale)
    if (newest.length === 0 || found !== -1) return newest[found] ?? null
  }
}

/**
 * Whether an index that ends below the history has a different block than it at the index's tip.
 */
async function contradicts({ views, history }: HistoryWriting): Promise<boolean> {
  const tip = views.read((view) => view.tip())
  if (tip === null) return false
  const [written] = await history.lastWritten(1, tip.height)
  return written !== undefined && written.height === tip.height && !isFolded(views, written)
}

// Compares the last row only: rows missing before it are found only at the next start.
async function requireStored(history: PairingHistory, end: WrittenBlock | null): Promise<void> {
  const [last = null] = await history.lastWritten(1)
  if (last === end || (last && isSame(last, end))) return
  throw new HistoryLostRowsError(
    'the history lost rows of the pairing index: they are written again',
  )
}

const holds = (view: PairingView, { height, checkpointHash }: WrittenBlock): boolean =>
  view.checkpoint(height)?.checkpointHash === checkpointHash

const isFolded = (views: PairingViews, block: WrittenBlock): boolean =>
  views.read((view) => holds(view, block))

const isSame = (one: WrittenBlock, other: WrittenBlock | null): boolean =>
  one.height === other?.height && one.checkpointHash === other.checkpointHash

const writtenOf = (block: PairingBlock | undefined): WrittenBlock | null =>
  block
    ? {
        height: Number(block.checkpoint.height),
        hash: block.checkpoint.blockHash,
        checkpointHash: block.checkpoint.checkpointHash,
      }
    : null
