import type { NodeTrouble } from '../schemas/evidence.ts'
import type { Watermark } from '../schemas/log.ts'
import type { GatherLimits } from './gather.ts'

export interface IngestOptions extends GatherLimits {
  /** Milliseconds: the longest time between two watermarks while the node answers. */
  watermarkMs: number
  /** Milliseconds between two questions to the asset index. */
  indexPollMs: number
  /** Milliseconds after which the asset index counts as unreachable. */
  indexTimeoutMs: number
  /** Milliseconds before the node's changes are listened to again when they ended. */
  retryMs: number
}

export const INGEST_DEFAULTS: IngestOptions = {
  watermarkMs: 2_000,
  indexPollMs: 1_000,
  indexTimeoutMs: 5_000,
  retryMs: 1_000,
  maxPushes: 50_000,
  maxPushedHex: 64 * 2 ** 20,
}

/** What the follower counts and shows, for whoever keeps metrics. */
export type IngestMetric =
  | { kind: 'tip'; height: number }
  /** Pushes that a turn found waiting. */
  | { kind: 'waiting'; pushes: number }
  | { kind: 'gap'; detail: string }
  /** The mempool was joined again by a snapshot of so many transactions. */
  | { kind: 'resynchronised'; transactions: number }
  | { kind: 'reorg'; depth: number }
  | { kind: 'continuity-lost'; detail: string }
  | { kind: 'node-away'; reason: NodeTrouble; detail: string }
  /** `lag` in blocks behind our tip; null while the index is not on the node's chain. */
  | { kind: 'index'; status: Watermark['indexStatus']; lag: number | null }
  | { kind: 'watermark'; epoch: number; n: number; covers: boolean }
