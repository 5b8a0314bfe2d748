import type { NodeTrouble } from '../../schemas/evidence.ts'
import type { Watermark } from '../../schemas/log.ts'
import type { GatherLimits } from './gather.ts'

export interface IngestOptions extends GatherLimits {
  /** Milliseconds between two beats: the longest time until a watermark covers a change. */
  watermarkMs: number
  /** Milliseconds: longest time between watermarks while the node answers and nothing changes. */
  quietMs: number
  /**
   * Milliseconds for which pushes are gathered for one round: the longest that any push waits.
   */
  gatherMs: number
  /**
   * Milliseconds for each transaction of a listed mempool, in which polls alone do not list it again:
   * a list of 300,000 is 20 MB, read every 6 s at most. Never longer than `quietMs`; blocks are looked
   * for at each poll.
   */
  restMsPerListed: number
  /** Milliseconds between polls of an asset index with the last block; at a new block, at once. */
  indexPollMs: number
  /** The interval while the index does not have the last block. */
  indexBehindMs: number
  /** Milliseconds after which the asset index counts as unreachable. */
  indexTimeoutMs: number
  /** Milliseconds before listening to the node's changes again after they ended. */
  retryMs: number
}

export const INGEST_DEFAULTS: IngestOptions = {
  watermarkMs: 2_000,
  quietMs: 15_000,
  gatherMs: 1_000,
  restMsPerListed: 0.02,
  indexPollMs: 5_000,
  indexBehindMs: 1_000,
  indexTimeoutMs: 5_000,
  retryMs: 1_000,
  maxPushes: 50_000,
  maxPushedHex: 64 * 2 ** 20,
}

/** What the follower reports for metrics. */
export type IngestMetric =
  | { kind: 'tip'; height: number }
  /** Pushes waiting at the start of a round. */
  | { kind: 'waiting'; pushes: number }
  | { kind: 'gap'; detail: string }
  /** The mempool was resynchronised by a snapshot of this many transactions. */
  | { kind: 'resynchronised'; transactions: number }
  | { kind: 'reorg'; depth: number }
  | { kind: 'continuity-lost'; detail: string }
  | { kind: 'node-away'; reason: NodeTrouble; detail: string }
  /** `lag` in blocks behind our tip; null while the index is not on the node's chain. */
  | { kind: 'index'; status: Watermark['indexStatus']; lag: number | null }
  | ({ kind: 'watermark'; covers: boolean } & Pick<Watermark, 'epoch' | 'n' | 'mempoolSequence'>)
