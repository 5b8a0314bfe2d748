import { openCircleStore } from '../../adapters/embedded/stores/circle-store.ts'
import { openCircleIndex } from '../../circles/circle-index.ts'
import { stateFeed } from '../../circles/state-feed.ts'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { CircleViews } from '../../ports/folds/circle-views.ts'
import { startHeightOf } from '../../schemas/config/start-heights.ts'
import { abortable } from '../../streams/operators/abortable.ts'
import type { Probe } from '../../streams/readiness/role-readiness.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import type { OpenAuthorities } from '../open/authorities.ts'
import type { LocalStore } from '../open/local-store.ts'
import { type FeedLog, runPublisher } from './publish-feed.ts'
import { runFold } from './run-fold.ts'

export interface RunningCircles {
  circles: CircleViews
  /** Reports how far the circles are behind the node. */
  probe: Probe
}

/** Blocks that the circles may be behind their node and still count as ready. */
const READY_WITHIN_BLOCKS = 2

/**
 * Follows the node from the start height, and keeps the graph of the circles. If there is a log,
 * each new state is published to it.
 */
export async function runCircles(
  context: RuntimeContext,
  local: LocalStore,
  authorities: OpenAuthorities,
  openLog: FeedLog | null,
): Promise<RunningCircles> {
  const { config, closer } = context
  const { blocks } = authorities
  const stop = new AbortController()
  const store = await local.open()
  const circles = openCircleStore(store)
  const index = await openCircleIndex({
    store: circles,
    settings: { network: config.BITCOIN_NETWORK, startHeight: startHeightOf(config, 'circles') },
    prevouts: (blockHash, txids) =>
      blocks
        ? abortable(stop.signal, blocks.prevouts(blockHash, txids))
        : Promise.reject(new NodeUnavailableError('node_unavailable', 'no node is configured')),
  })
  const fold = runFold('circles', context, authorities, index)
  // Aborted before the fold is stopped, which may be waiting for these requests.
  closer.add(async () => stop.abort())
  if (openLog) {
    const feed = stateFeed(circles)
    runPublisher('circles feed', context, { feed, store, openLog, fold })
  }
  const probe: Probe = {
    vital: true,
    unavailable: 'circles_unavailable',
    ask: async () => {
      const nodeHeight = fold?.nodeHeight() ?? null
      if (nodeHeight === null) return ['circles_unfollowed: no answer from the node yet']
      const behind = nodeHeight - (index.tip()?.height ?? index.startHeight - 1)
      return behind > READY_WITHIN_BLOCKS ? [`circles_behind: by ${behind} blocks`] : []
    },
  }
  return { circles: index, probe }
}
