import { openCircleStore } from '../adapters/embedded/circle-store.ts'
import { openCircleIndex } from '../circles/circle-index.ts'
import { stateFeed } from '../circles/state-feed.ts'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { CircleViews } from '../ports/circle-views.ts'
import type { Probe } from '../streams/role-readiness.ts'
import { unlessAborted } from '../streams/unless-aborted.ts'
import type { OpenAuthorities } from './authorities.ts'
import type { Foundation } from './foundation.ts'
import type { LocalStore } from './local-store.ts'
import { type FeedLog, runPublisher } from './publish-feed.ts'
import { runFold } from './run-fold.ts'

export interface RunningCircles {
  circles: CircleViews
  /** Says how far it is from its node. */
  probe: Probe
}

/** Blocks that the circles may be behind their node and still count as ready. */
const READY_WITHIN_BLOCKS = 2

/**
 * Follows the node from the start height on, and keeps the graph of the circles. With a log each new
 * state goes there.
 */
export async function runCircles(
  foundation: Foundation,
  local: LocalStore,
  { blocks }: OpenAuthorities,
  openLog: FeedLog | null,
): Promise<RunningCircles> {
  const { config, closer } = foundation
  const stop = new AbortController()
  const store = await local.open()
  const circles = openCircleStore(store)
  const index = await openCircleIndex({
    store: circles,
    settings: { network: config.BITCOIN_NETWORK, startHeight: config.CIRCLES_START_HEIGHT },
    prevouts: (blockHash, txids) =>
      blocks
        ? unlessAborted(stop.signal, blocks.prevouts(blockHash, txids))
        : Promise.reject(new NodeUnavailable('node_unavailable', 'no node is configured')),
  })
  const fold = blocks ? runFold('circles', foundation, blocks, index) : null
  // Before the fold is ended: it may be waiting for them.
  closer.add(async () => stop.abort())
  if (openLog) {
    const feed = stateFeed(circles)
    runPublisher('circles feed', foundation, { feed, store, openLog, fold })
  }
  const probe: Probe = {
    vital: true,
    unavailable: 'circles_unavailable',
    ask: async () => {
      const nodeHeight = fold?.nodeHeight() ?? null
      if (nodeHeight === null) return ['circles_unfollowed: the node was not heard yet']
      const behind = nodeHeight - (index.tip()?.height ?? index.startHeight - 1)
      return behind > READY_WITHIN_BLOCKS ? [`circles_behind: by ${behind} blocks`] : []
    },
  }
  return { circles: index, probe }
}
