import { catchError, defer, forkJoin, map, type Observable, of, switchMap, timeout } from 'rxjs'
import type { AssetIndex, IndexStatus } from '../../ports/authorities/asset-index.ts'
import type { ChainStatus, FullNode } from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ListingReadiness, ListingReadinessReason } from '../../schemas/api/health.ts'
import { cacheFor } from '../operators/cache-for.ts'

export interface ReadinessSources {
  /** Null: not configured. */
  node: Pick<FullNode, 'chain' | 'blockHash'> | null
  index: Pick<AssetIndex, 'status'> | null
  storage: { probe(): Promise<void> }
  clock: Clock
  maxLagBlocks: number
  /** How long one observation may take in total, milliseconds. */
  timeoutMs: number
  /** How long one observation is served to all callers, milliseconds. */
  cacheForMs: number
}

/** How one authority responded. */
type ListingProbe<T> = { did: 'answer'; value: T } | { did: 'fail' } | { did: 'time out' }

interface SeenParts {
  storage: ListingProbe<void>
  node: ListingProbe<ChainStatus>
  index: ListingProbe<IndexStatus>
  /** The node's own hash at the index's height: both must follow one chain. */
  sameChain: ListingProbe<boolean>
}

/**
 * Whether a Bitcoin listing could be made now, by asking storage, node and index directly
 * (gateway spec 2.2, ListingReadiness: observed, never inferred). Emits one observation and
 * completes; subscribers within `cacheForMs` of one another share it.
 */
export function listingReadiness(sources: ReadinessSources): Observable<ListingReadiness> {
  return defer(() => observe(sources)).pipe(
    map((seen) => judge(seen, sources)),
    cacheFor(sources.cacheForMs),
  )
}

function observe({
  storage,
  node,
  index,
  clock,
  timeoutMs,
}: ReadinessSources): Observable<SeenParts> {
  const begun = clock.monotonic()
  const probe = <T>(ask: () => Promise<T>): Observable<ListingProbe<T>> =>
    defer(ask).pipe(
      map((value): ListingProbe<T> => ({ did: 'answer', value })),
      timeout({
        first: Math.max(1, timeoutMs - (clock.monotonic() - begun)),
        with: () => of<ListingProbe<T>>({ did: 'time out' }),
      }),
      catchError(() => of<ListingProbe<T>>({ did: 'fail' })),
    )
  return forkJoin({
    storage: probe(() => storage.probe()),
    node: node ? probe(() => node.chain()) : of<ListingProbe<ChainStatus>>({ did: 'fail' }),
    index: index ? probe(() => index.status()) : of<ListingProbe<IndexStatus>>({ did: 'fail' }),
  }).pipe(
    switchMap((seen) => {
      const tip = seen.index.did === 'answer' ? seen.index.value.tip : null
      const sameChain: Observable<ListingProbe<boolean>> =
        node && tip && seen.node.did === 'answer'
          ? probe(async () => (await node.blockHash(tip.height)) === tip.hash)
          : of({ did: 'answer', value: false })
      return sameChain.pipe(map((answer) => ({ ...seen, sameChain: answer })))
    }),
  )
}

function judge(seen: SeenParts, sources: ReadinessSources): ListingReadiness {
  const coreHeight = seen.node.did === 'answer' ? seen.node.value.tip.height : null
  const assetIndexHeight =
    seen.index.did === 'answer' ? (seen.index.value.tip?.height ?? null) : null
  const lagBlocks =
    coreHeight === null || assetIndexHeight === null
      ? null
      : Math.max(0, coreHeight - assetIndexHeight)
  const reason = firstReason(seen, sources, lagBlocks)
  return {
    ready: reason === null,
    reason,
    coreHeight,
    assetIndexHeight,
    lagBlocks,
    maxLagBlocks: sources.maxLagBlocks,
    storageWritable: seen.storage.did === 'answer',
    checkedAt: new Date(sources.clock.now()).toISOString(),
  }
}

/** The first of these in order: what is not configured, then storage, node, index, and their lag. */
function firstReason(
  seen: SeenParts,
  { node, index, maxLagBlocks }: ReadinessSources,
  lagBlocks: number | null,
): ListingReadinessReason | null {
  if (node === null || index === null) return 'not_configured'
  if (seen.storage.did === 'fail') return 'storage_unavailable'
  if (seen.node.did === 'fail') return 'core_unavailable_or_syncing'
  if (seen.index.did === 'fail') return 'asset_index_unreachable'
  if (seen.storage.did !== 'answer' || seen.node.did !== 'answer' || seen.index.did !== 'answer') {
    return 'observation_timed_out'
  }
  const { initialBlockDownload, mempoolLoaded } = seen.node.value
  if (initialBlockDownload || !mempoolLoaded) return 'core_unavailable_or_syncing'
  if (seen.sameChain.did === 'fail') return 'core_unavailable_or_syncing'
  if (seen.sameChain.did === 'time out') return 'observation_timed_out'
  // An index on another chain, or beyond recovery, will not catch up by waiting; for a listing it
  // is behind all the same, and the closed list of reasons has no other code for it.
  const follows = seen.sameChain.value && !seen.index.value.unrecoverablyReorged
  if (!follows || lagBlocks === null || lagBlocks > maxLagBlocks) return 'asset_index_behind'
  return null
}
