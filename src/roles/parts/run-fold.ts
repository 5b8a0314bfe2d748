import { Counter, Gauge } from 'prom-client'
import { type Observable, Subject } from 'rxjs'
import type { BlockFold } from '../../ports/folds/block-fold.ts'
import { type BlockNews, followBlocks } from '../../streams/blocks/follow-blocks.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import type { OpenAuthorities } from '../open/authorities.ts'

/** Interval of progress lines, milliseconds. */
const LINE_MS = 10_000
/** A fold within this distance of its node has caught up. */
const NEAR_BLOCKS = 20

export interface RunningFold {
  /** The node's height when last reported; null before. */
  nodeHeight(): number | null
  /** Later events, after they were counted. */
  news: Observable<BlockNews>
}

/**
 * Keeps a fold at the node's tip until the closer ends; logs its progress while it catches up. Null
 * without a node.
 */
export function runFold(
  name: string,
  context: RuntimeContext,
  { blocks: source, readBlock }: Pick<OpenAuthorities, 'blocks' | 'readBlock'>,
  fold: BlockFold,
): RunningFold | null {
  if (!source) return null
  const { clock, logger, report } = context
  const counted = foldMetrics(name, context)
  counted.height.set(fold.tip()?.height ?? 0)
  let nodeHeight: number | null = null
  const progress = progressOf(clock.monotonic())
  const onNews = (news: BlockNews) => {
    if (news.kind === 'away') {
      report(name, news.error, 'waiting for the node')
      return
    }
    if (news.kind === 'disconnected') {
      counted.disconnected.inc()
      logger.info({ fold: name, ...news.block }, 'block disconnected')
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
  const blockNews = new Subject<BlockNews>()
  const tell = (news: BlockNews) => {
    onNews(news)
    blockNews.next(news)
  }
  supervise(name, context, (signal) =>
    followBlocks({ source, fold, clock, onNews: tell, ...(readBlock && { readBlock }) }, signal),
  )
  return { nodeHeight: () => nodeHeight, news: blockNews }
}

interface ProgressLine {
  height: number
  nodeHeight: number
  blocksPerSecond: number
  /** Time to reach the node's tip at the rate of the last seconds. */
  etaSeconds: number
}

/** A line every ten seconds while catching up; none for single blocks. */
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

function foldMetrics(name: string, { metrics: { registry } }: RuntimeContext) {
  const registers = [registry]
  return {
    height: new Gauge({
      name: `market_${name}_height`,
      help: `Height of the last block indexed by ${name}.`,
      registers,
    }),
    nodeHeight: new Gauge({
      name: `market_${name}_node_height`,
      help: `Height of the node as last seen by ${name}.`,
      registers,
    }),
    connected: new Counter({
      name: `market_${name}_blocks_total`,
      help: `Blocks indexed by ${name}.`,
      registers,
    }),
    disconnected: new Counter({
      name: `market_${name}_blocks_taken_back_total`,
      help: `Blocks disconnected by ${name} in reorganisations.`,
      registers,
    }),
  }
}
