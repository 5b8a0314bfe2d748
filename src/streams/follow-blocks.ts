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
import { readBlock } from '../domain/raw-block.ts'
import { BlockNotAvailable, NodeUnavailable } from '../ports/authority-errors.ts'
import type { BlockFold, PlacedBlock } from '../ports/block-fold.ts'
import { type Clock, pace } from '../ports/clock.ts'
import type { BlockSource } from '../ports/full-node.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import { inTurns } from './in-turns.ts'
import { pause } from './pause.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface BlockFollowing {
  source: FollowedSource
  fold: BlockFold
  clock: Clock
  onNews: (news: BlockNews) => void
  /** How long nobody asks the node when nothing is heard of it, milliseconds; 2,000. */
  beatMs?: number
}

export type FollowedSource = Omit<BlockSource, 'prevouts'>

export type BlockNews =
  | { kind: 'connected'; tip: BlockRef; count: number; nodeHeight: number }
  | { kind: 'disconnected'; block: BlockRef }
  /** All that the node has is folded. */
  | { kind: 'level'; tip: BlockRef | null; nodeHeight: number }
  /** The node gives no answer that can be folded now; it is asked again. */
  | { kind: 'away'; detail: string }

const BEAT_MS = 2_000
/** Blocks of one atomic write while there is much to catch up with. */
const MOST_BLOCKS = 64
/** Bytes of blocks that are fetched before they are folded: twice that is in memory. */
const MOST_BYTES = 8 * 2 ** 20
const FETCHED_AT_ONCE = 4

/**
 * Keeps a fold at the tip of the node's best chain until the signal aborts: by hash, whatever the
 * node does meanwhile; stale blocks are taken back newest first. While one group of blocks is folded
 * the next one is fetched. A node that is away, prunes or moves is asked again; throws what the fold
 * throws.
 */
export async function followBlocks(parts: BlockFollowing, signal: AbortSignal): Promise<void> {
  const { clock, beatMs = BEAT_MS } = parts
  if (signal.aborted) return
  const source = answeringUntil(signal, parts.source)
  const pushed = defer(() => source.changes(signal)).pipe(
    mergeMap(({ kind }) => (kind === 'added' || kind === 'removed' ? EMPTY : of(kind))),
  )
  const beats = pause(clock, beatMs).pipe(repeat())
  // What is under way when the signal aborts is ended, not left behind.
  const turns = merge(of('begin'), pushed, beats).pipe(
    takeUntil(fromEvent(signal, 'abort')),
    inTurns(
      () => true,
      () => turn({ ...parts, source }, signal),
    ),
  )
  await lastValueFrom(turns, { defaultValue: undefined })
}

const answeringUntil = (signal: AbortSignal, source: FollowedSource): FollowedSource => ({
  chain: () => unlessAborted(signal, source.chain()),
  blockHash: (height) => unlessAborted(signal, source.blockHash(height)),
  rawBlock: (hash) => unlessAborted(signal, source.rawBlock(hash)),
  changes: (until) => source.changes(until),
})

async function turn(parts: BlockFollowing, signal: AbortSignal): Promise<void> {
  try {
    await catchUp(parts, signal)
  } catch (error) {
    if (!(error instanceof NodeUnavailable || error instanceof BlockNotAvailable)) throw error
    if (!signal.aborted) parts.onNews({ kind: 'away', detail: error.message })
  }
}

async function catchUp(parts: BlockFollowing, signal: AbortSignal): Promise<void> {
  const { source, fold, onNews } = parts
  while (!signal.aborted) {
    const { height: nodeHeight } = (await source.chain()).tip
    await takeBackStale(parts, nodeHeight, signal)
    const isLevel = await connectUpTo(nodeHeight, parts, signal)
    if (isLevel && !signal.aborted) return onNews({ kind: 'level', tip: fold.tip(), nodeHeight })
  }
}

/**
 * A node whose chain ends below the fold has gone back and may have another branch to come: only a
 * height at which it names another block is a reorg.
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
  nodeHeight: number,
  { source, fold, clock, onNews }: BlockFollowing,
  signal: AbortSignal,
): Promise<boolean> {
  const rest = pace(clock)
  let size = 1
  let parent = fold.tip()
  let group = fetchGroup(source, firstHeight(parent, fold), size, nodeHeight)
  while (!signal.aborted) {
    const fetched = await group
    if (fetched.length === 0) return true
    const blocks = await read(fetched, parent, rest)
    const last = blocks?.at(-1)
    if (!blocks || !last) return false
    size = sizeAfter(fetched)
    group = fetchGroup(source, last.height + 1, size, nodeHeight)
    // Its failure is met in the next round; until then nobody holds it.
    group.catch(() => undefined)
    await fold.connect(blocks)
    parent = { height: last.height, hash: last.hash }
    onNews({ kind: 'connected', tip: parent, count: blocks.length, nodeHeight })
  }
  return true
}

const firstHeight = (tip: BlockRef | null, { startHeight }: BlockFold): number =>
  tip === null ? startHeight : tip.height + 1

/** As many as are as large as may be together, going by those before. */
function sizeAfter(fetched: readonly Fetched[]): number {
  const bytes = fetched.reduce((sum, { body }) => sum + body.length, 0)
  const fitting = Math.floor((MOST_BYTES * fetched.length) / Math.max(bytes, 1))
  return Math.max(1, Math.min(MOST_BLOCKS, fetched.length * 2, fitting))
}

interface Fetched extends BlockRef {
  body: Uint8Array
}

/** In order of height, up to the first that the node does not have (any more). */
async function fetchGroup(
  source: FollowedSource,
  first: number,
  size: number,
  nodeHeight: number,
): Promise<Fetched[]> {
  const count = Math.min(size, nodeHeight - first + 1)
  if (count <= 0) return []
  const found: (Fetched | null)[] = []
  let next = 0
  const lane = async () => {
    while (next < count) {
      const at = next
      next += 1
      found[at] = await fetchBlock(source, first + at)
    }
  }
  await Promise.all(Array.from({ length: Math.min(FETCHED_AT_ONCE, count) }, lane))
  const gap = found.indexOf(null)
  return found.slice(0, gap === -1 ? count : gap).filter((block) => block !== null)
}

async function fetchBlock(source: FollowedSource, height: number): Promise<Fetched | null> {
  const hash = await source.blockHash(height)
  const body = hash === null ? null : await source.rawBlock(hash)
  return hash === null || body === null ? null : { height, hash, body }
}

/** Null where they do not stand on each other, the first one on `parent`: the chain moved. */
async function read(
  fetched: readonly Fetched[],
  parent: BlockRef | null,
  rest: () => Promise<void>,
): Promise<PlacedBlock[] | null> {
  const blocks: PlacedBlock[] = []
  let below = parent?.hash ?? null
  for (const { height, hash, body } of fetched) {
    await rest()
    const block = opened(hash, body)
    if (below !== null && block.prevHash !== below) return null
    blocks.push({ height, hash, block })
    below = hash
  }
  return blocks
}

function opened(hash: string, body: Uint8Array) {
  const unreadable = (cause?: unknown) =>
    new NodeUnavailable('node_unavailable', `block ${hash} cannot be read`, { cause })
  try {
    const block = readBlock(body)
    if (block.hash === hash) return block
  } catch (cause) {
    throw unreadable(cause)
  }
  throw unreadable()
}
