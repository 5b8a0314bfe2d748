import {
  defer,
  EMPTY,
  fromEvent,
  lastValueFrom,
  merge,
  mergeMap,
  of,
  repeat,
  takeUntil,
} from 'rxjs'
import { AuthorityUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { BlockSource } from '../../ports/authorities/full-node.ts'
import type { UnavailableError } from '../../ports/base-errors.ts'
import type { BlockFold, PlacedBlock } from '../../ports/folds/block-fold.ts'
import type { Clock } from '../../runtime/clock.ts'
import { pace } from '../../runtime/time-slice.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import { abortable } from '../operators/abortable.ts'
import { conflateMap } from '../operators/conflate-map.ts'
import { pause } from '../operators/pause.ts'
import { hereOpened } from './open-block.ts'
import { type ReadBlock, shareBlocks } from './share-blocks.ts'

export interface BlockFollowing {
  source: FollowedSource
  fold: BlockFold
  clock: Clock
  onNews: (news: BlockNews) => void
  /** Shared with other readers of the same blocks; else blocks are fetched and opened here. */
  readBlock?: ReadBlock
  /** How often the node is polled while the fold is behind it, milliseconds; 2,000. */
  beatMs?: number
  /**
   * The beat while the fold is at the node's tip: the node pushes blocks, but a push may be lost;
   * 20,000.
   */
  levelBeatMs?: number
}

export type FollowedSource = Omit<BlockSource, 'prevouts'>

type FollowedBlocks = BlockFollowing & { readBlock: ReadBlock }

export type BlockNews =
  | { kind: 'connected'; tip: BlockRef; count: number; nodeHeight: number }
  | { kind: 'disconnected'; block: BlockRef }
  /** Every block of the node is folded. */
  | { kind: 'level'; tip: BlockRef | null; nodeHeight: number }
  /** The node gives no answer that can be folded now; it will be asked again. */
  | { kind: 'away'; error: UnavailableError }

const BEAT_MS = 2_000
const LEVEL_BEAT_MS = 20_000
/** Most blocks in one atomic write while catching up. */
const MAX_BLOCKS = 64
/** Bytes of blocks fetched before they are folded: twice that is in memory. */
const MAX_BYTES = 8 * 2 ** 20
const FETCHED_AT_ONCE = 4

/**
 * Keeps a fold at the tip of the node's best chain until the signal aborts: by hash, whatever the
 * node does meanwhile; stale blocks are disconnected newest first. While one group of blocks is
 * folded the next is fetched. If the node is unavailable, prunes or switches branch, it is asked
 * again; throws what the fold throws.
 */
export async function followBlocks(parts: BlockFollowing, signal: AbortSignal): Promise<void> {
  const { clock, onNews, beatMs = BEAT_MS, levelBeatMs = LEVEL_BEAT_MS } = parts
  if (signal.aborted) return
  const source = answeringUntil(signal, parts.source)
  const shared = parts.readBlock ?? shareBlocks(parts.source, hereOpened)
  const readBlock: ReadBlock = (hash) => abortable(signal, shared(hash))
  const pushed = defer(() => source.changes(signal)).pipe(
    mergeMap(({ kind }) => (kind === 'added' || kind === 'removed' ? EMPTY : of(kind))),
  )
  let isLevel = false
  const note = (news: BlockNews) => {
    isLevel = news.kind === 'level'
    onNews(news)
  }
  const beats = defer(() => pause(clock, isLevel ? levelBeatMs : beatMs)).pipe(repeat())
  // A round in progress when the signal aborts is awaited, not abandoned.
  const rounds = merge(of('begin'), pushed, beats).pipe(
    takeUntil(fromEvent(signal, 'abort')),
    conflateMap(
      () => true,
      () => round({ ...parts, source, readBlock, onNews: note }, signal),
    ),
  )
  await lastValueFrom(rounds, { defaultValue: undefined })
}

const answeringUntil = (signal: AbortSignal, source: FollowedSource): FollowedSource => ({
  chain: () => abortable(signal, source.chain()),
  blockHash: (height) => abortable(signal, source.blockHash(height)),
  rawBlock: (hash) => abortable(signal, source.rawBlock(hash)),
  changes: (until) => source.changes(until),
})

async function round(parts: FollowedBlocks, signal: AbortSignal): Promise<void> {
  try {
    await catchUp(parts, signal)
  } catch (error) {
    if (!(error instanceof AuthorityUnavailableError)) throw error
    if (!signal.aborted) parts.onNews({ kind: 'away', error })
  }
}

async function catchUp(parts: FollowedBlocks, signal: AbortSignal): Promise<void> {
  const { source, fold, onNews } = parts
  while (!signal.aborted) {
    const { tip } = await source.chain()
    const nodeHeight = tip.height
    if (fold.tip()?.hash === tip.hash) return onNews({ kind: 'level', tip: fold.tip(), nodeHeight })
    await takeBackStale(parts, nodeHeight, signal)
    const isLevel = await connectUpTo(tip, parts, signal)
    if (isLevel && !signal.aborted) return onNews({ kind: 'level', tip: fold.tip(), nodeHeight })
  }
}

/**
 * A node whose chain ends below the fold has rolled back and may yet switch to another branch: only
 * a height at which it names another block is a reorg.
 */
async function takeBackStale(
  { source, fold, onNews }: BlockFollowing,
  nodeHeight: number,
  signal: AbortSignal,
): Promise<void> {
  const tip = fold.tip()
  if (tip === null) return
  const shared = Math.min(tip.height, nodeHeight)
  if (shared < fold.startHeight || (await isFolded(source, fold, shared))) return
  for (let block = fold.tip(); block !== null && !signal.aborted; block = fold.tip()) {
    if (block.height <= nodeHeight && (await isFolded(source, fold, block.height))) return
    await fold.disconnect()
    onNews({ kind: 'disconnected', block })
  }
}

const isFolded = async (
  source: FollowedSource,
  fold: BlockFold,
  height: number,
): Promise<boolean> => (await source.blockHash(height)) === fold.hashAt(height)

/** False: the chain moved meanwhile. */
async function connectUpTo(
  nodeTip: BlockRef,
  parts: FollowedBlocks,
  signal: AbortSignal,
): Promise<boolean> {
  const { fold, onNews } = parts
  const rest = pace(parts.clock)
  const next = (first: number) => {
    const group = readGroup(parts, { first, size, nodeTip }, rest)
    // A round handles the rejection of its group; until then, or once it stops, nothing awaits it.
    group.catch(() => undefined)
    return group
  }
  let size = 1
  let parent = fold.tip()
  let group = next(firstHeight(parent, fold))
  while (!signal.aborted) {
    const blocks = await group
    const last = blocks.at(-1)
    if (!last) return true
    if (!isOneChain(blocks, parent)) return false
    size = sizeAfter(blocks)
    group = next(last.height + 1)
    await fold.connect(blocks)
    parent = { height: last.height, hash: last.hash }
    onNews({ kind: 'connected', tip: parent, count: blocks.length, nodeHeight: nodeTip.height })
  }
  return true
}

const firstHeight = (tip: BlockRef | null, { startHeight }: BlockFold): number =>
  tip === null ? startHeight : tip.height + 1

/** As many blocks as fit the byte limit, judging by the size of the last group. */
function sizeAfter(blocks: readonly PlacedBlock[]): number {
  const bytes = blocks.reduce((sum, { block }) => sum + block.bytes.length, 0)
  const fitting = Math.floor((MAX_BYTES * blocks.length) / Math.max(bytes, 1))
  return Math.max(1, Math.min(MAX_BLOCKS, blocks.length * 2, fitting))
}

interface WantedBlocks {
  first: number
  size: number
  nodeTip: BlockRef
}

/** In order of height, up to the first block that the node does not have, or no longer has. */
async function readGroup(
  parts: FollowedBlocks,
  { first, size, nodeTip }: WantedBlocks,
  rest: () => Promise<void>,
): Promise<PlacedBlock[]> {
  const count = Math.min(size, nodeTip.height - first + 1)
  if (count <= 0) return []
  const found: (PlacedBlock | null)[] = []
  let next = 0
  const fetchNext = async () => {
    while (next < count) {
      const at = next
      next += 1
      found[at] = await readAt(parts, first + at, nodeTip)
      await rest()
    }
  }
  await Promise.all(Array.from({ length: Math.min(FETCHED_AT_ONCE, count) }, fetchNext))
  const gap = found.indexOf(null)
  return found.slice(0, gap === -1 ? count : gap).filter((block) => block !== null)
}

async function readAt(
  { source, readBlock }: FollowedBlocks,
  height: number,
  nodeTip: BlockRef,
): Promise<PlacedBlock | null> {
  const hash = height === nodeTip.height ? nodeTip.hash : await source.blockHash(height)
  const block = hash === null ? null : await readBlock(hash)
  return hash === null || block === null ? null : { height, hash, block }
}

/** Each block builds on the one before, the first on `parent`: the chain did not move meanwhile. */
function isOneChain(blocks: readonly PlacedBlock[], parent: BlockRef | null): boolean {
  const below = [parent, ...blocks]
  return blocks.every(({ block }, at) => block.prevHash === (below[at]?.hash ?? block.prevHash))
}
