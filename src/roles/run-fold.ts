import { Counter, Gauge } from 'prom-client'
import { type Observable, Subject } from 'rxjs'
import type { BlockFold } from '../ports/block-fold.ts'
import type { BlockSource } from '../ports/full-node.ts'
import { type BlockNews, followBlocks } from '../streams/follow-blocks.ts'
import type { Foundation } from './foundation.ts'
import { supervise } from './supervise.ts'

/** Between two lines of progress, milliseconds. */
const LINE_MS = 10_000
/** A fold that is nearer than this to its node has caught up. */
const NEAR_BLOCKS = 20

export interface RunningFold {
  /** How far the node was when it was last heard; null before. */
  nodeHeight(): number | null
  /** What happens from now on, once it is counted. */
  news: Observable<BlockNews>
}

/** Keeps a fold at the node's tip until the closer ends; says how far it is while it catches up. */
export function runFold(
  name: string,
  foundation: Foundation,
  source: BlockSource,
  fold: BlockFold,
): RunningFold {
  const { clock, logger } = foundation
  const counted = foldMetrics(name, foundation)
  counted.height.set(fold.tip()?.height ?? 0)
  let nodeHeight: number | null = null
  /** Why the node was waited for last. */
  let trouble: string | null = null
  const progress = progressOf(clock.monotonic())
  const onNews = (news: BlockNews) => {
    if (news.kind === 'away') {
      const { detail } = news
      if (detail !== trouble) logger.warn({ fold: name, detail }, 'the node is waited for')
      trouble = detail
      return
    }
    trouble = null
    if (news.kind === 'disconnected') {
      counted.disconnected.inc()
      logger.info({ fold: name, ...news.block }, 'a block was taken back')
      return
    }
    nodeHeight = news.nodeHeight
    counted.nodeHeight.set(nodeHeight)
    if (news.tip) counted.height.set(news.tip.height)
    if (news.kind !== 'connected') return
    counted.connected.inc(news.count)
    const line = progress(news, clock.monotonic())
    if (line) logger.info({ fold: name, ...line }, 'catching up')
  }
  const heard = new Subject<BlockNews>()
  const tell = (news: BlockNews) => {
    onNews(news)
    heard.next(news)
  }
  supervise(name, foundation, (signal) =>
    followBlocks({ source, fold, clock, onNews: tell }, signal),
  )
  return { nodeHeight: () => nodeHeight, news: heard }
}

interface ProgressLine {
  height: number
  nodeHeight: number
  blocksPerSecond: number
  /** Until the node's tip at the rate of the last seconds. */
  etaSeconds: number
}

/** A line every ten seconds of catching up; none for blocks that come one by one. */
function progressOf(begun: number) {
  let since = begun
  let count = 0
  return (news: BlockNews & { kind: 'connected' }, now: number): ProgressLine | null => {
    count += news.count
    const left = news.nodeHeight - news.tip.height
    if (now - since < LINE_MS) return null
    const rate = (count * 1_000) / (now - since)
    since = now
    count = 0
    if (left < NEAR_BLOCKS) return null
    return {
      height: news.tip.height,
      nodeHeight: news.nodeHeight,
      blocksPerSecond: Math.round(rate),
      etaSeconds: Math.ceil(left / rate),
    }
  }
}

function foldMetrics(name: string, { metrics: { registry } }: Foundation) {
  const registers = [registry]
  return {
    height: new Gauge({
      name: `market_${name}_height`,
      help: `Height of the last block that ${name} folded.`,
      registers,
    }),
    nodeHeight: new Gauge({
      name: `market_${name}_node_height`,
      help: `Height of the node when ${name} last heard it.`,
      registers,
    }),
    connected: new Counter({
      name: `market_${name}_blocks_total`,
      help: `Blocks that ${name} folded.`,
      registers,
    }),
    disconnected: new Counter({
      name: `market_${name}_blocks_taken_back_total`,
      help: `Blocks that ${name} took back in reorganisations.`,
      registers,
    }),
  }
}
