import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../ports/authorities/authority-errors.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import type { Gateway } from '../gateway.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { requireAuthorities, requireNode, type SaleAuthorities } from './order-for-sale.ts'

/** Node calls per request: 16 transactions in 16 blocks, and 9 for all else (ADR 40). */
const MAX_NODE_CALLS = 41
/** Index calls per request. */
const MAX_INDEX_CALLS = 12
/** Time limit in milliseconds, from the first of these questions. */
const DEADLINE_MS = 10_000

/**
 * Both authorities for one request: a bounded number of calls, until the deadline, and only while
 * its client waits.
 *
 * @throws RefusalError NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE
 */
export async function askAuthorities<T>(
  gateway: Pick<Gateway, 'node' | 'index' | 'clock' | 'settings'>,
  signal: AbortSignal,
  ask: (authorities: SaleAuthorities) => Promise<T>,
): Promise<T> {
  return askBoth(gateway, signal, requireAuthorities(gateway), ask)
}

/**
 * The node, and the index if there is one, within the same bounds.
 *
 * @throws RefusalError NODE_UNAVAILABLE
 */
export async function askNodeAndIndex<T>(
  gateway: Pick<Gateway, 'node' | 'index' | 'clock' | 'settings'>,
  signal: AbortSignal,
  ask: (authorities: { node: FullNode; index: AssetIndex | null }) => Promise<T>,
): Promise<T> {
  const { index } = gateway
  return askBoth(gateway, signal, { node: requireNode(gateway), index }, ask)
}

const askBoth = <T, Index extends AssetIndex | null>(
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  signal: AbortSignal,
  { node, index }: { node: FullNode; index: Index },
  ask: (authorities: { node: FullNode; index: Index }) => Promise<T>,
): Promise<T> => {
  const indexOver = () =>
    new IndexUnavailableError('asset_index_unreachable', 'the request may ask no more')
  return inWaitingTime(
    gateway,
    signal,
    (deadline) =>
      ask({
        node: boundedNode(node, deadline),
        index: index && bounded(index, MAX_INDEX_CALLS, deadline, indexOver),
      }),
    DEADLINE_MS,
  )
}

/**
 * The node alone, within the same bounds.
 *
 * @throws RefusalError NODE_UNAVAILABLE
 */
export const askWithinBounds = <T>(
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  node: FullNode,
  signal: AbortSignal,
  ask: (node: FullNode) => Promise<T>,
): Promise<T> =>
  inWaitingTime(gateway, signal, (deadline) => ask(boundedNode(node, deadline)), DEADLINE_MS)

const boundedNode = (node: FullNode, deadline: AbortSignal): FullNode =>
  bounded(
    node,
    MAX_NODE_CALLS,
    deadline,
    () => new NodeUnavailableError('node_unavailable', 'the request may ask no more'),
  )

function bounded<T extends object>(
  of: T,
  most: number,
  deadline: AbortSignal,
  refuse: () => Error,
): T {
  let asked = 0
  return new Proxy(of, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...args: unknown[]): Promise<unknown> => {
        asked += 1
        if (asked > most || deadline.aborted) throw refuse()
        const answer = Promise.resolve<unknown>(Reflect.apply(method, target, args))
        return untilAborted(answer, deadline, () => {
          throw refuse()
        })
      }
    },
  })
}
