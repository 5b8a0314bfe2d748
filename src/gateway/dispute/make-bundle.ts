import { bundleChanges } from '../../domain/dispute/bundle-change.ts'
import { bundledOrder } from '../../domain/dispute/check-chain.ts'
import { blocksNamed } from '../../domain/dispute/check-proofs.ts'
import { bundleText, sealBundle } from '../../domain/dispute/seal-bundle.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import {
  BUNDLE_FORMAT,
  type DisputeBundle,
  type UnsealedBundle,
} from '../../schemas/dispute/bundle.ts'
import { requireShown } from '../commands/hide-order.ts'
import type { Gateway } from '../gateway.ts'
import { findAny } from '../order/read-order.ts'
import { summarise } from '../order/summarise.ts'
import { askWithinBounds } from '../purchase/bounded-authorities.ts'
import { RefusalError } from '../refusal.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { gatherProofs, NO_PROOFS } from './gather-proofs.ts'
import { readOrderChanges } from './read-order-changes.ts'

/** Changes in a bundle: the newest, as far as they are read in time. */
export const MAX_CHANGES = 256
/** Time limit for reading the log, milliseconds; the node has its own limit after that. */
const READ_MS = 3_000

export type BundleSources = Pick<
  Gateway,
  'views' | 'pool' | 'clock' | 'versions' | 'log' | 'node' | 'settings' | 'bundleSigner'
>

export interface BundleRequest {
  isOperator: boolean
  /** Aborts when the client no longer waits. */
  signal: AbortSignal
  /** Runs the reads of history and log when their turn comes; absent: at once. */
  queued?: <T>(work: () => Promise<T>) => Promise<T>
}

/** The text of a bundle, as `makeBundle` makes it. */
export const bundleTextOf = async (
  sources: BundleSources,
  id: string,
  request: BundleRequest,
): Promise<string> => bundleText(await makeBundle(sources, id, request))

/**
 * The bundle of an order: everything that proves what was stated about it, and when
 * (docs/disputes.md). Only an operator gets the artifact of an order that is not LIVE and fresh,
 * and what operators wrote.
 *
 * @throws RefusalError ORDER_NOT_FOUND, ORDER_HIDDEN, ORDER_NOT_PROVED, NODE_UNAVAILABLE
 * @throws HistoryUnavailableError @throws NodeUnavailableError
 */
export async function makeBundle(
  sources: BundleSources,
  id: string,
  { isOperator, signal, queued = (work) => work() }: BundleRequest,
): Promise<DisputeBundle> {
  const found = await findAny(sources, id)
  if ('entry' in found)
    throw new RefusalError(
      'ORDER_NOT_PROVED',
      'this order was never proved: the log has no record of it',
    )
  const { stored } = found
  const { order } = stored
  if (!isOperator) requireShown(order)
  const artifact = artifactOf(sources, stored, isOperator)
  const records = await queued(() => changesOf(sources, stored, signal))
  const changes = bundleChanges(records, { isOperator, artifact: artifact.psbt })
  const named = blocksNamed({ changes })
  const { node } = sources
  const proofs = node
    ? await askWithinBounds(sources, node, signal, (asked) => gatherProofs(asked, order, named))
    : NO_PROOFS
  const bundle: UnsealedBundle = {
    format: BUNDLE_FORMAT,
    network: order.network,
    orderId: order.id,
    order: bundledOrder(order),
    artifact,
    changes,
    proofs,
  }
  return sealBundle(bundle, sources.bundleSigner)
}

/** The records of the changes that made the order what it is: without the oldest if that is late. */
async function changesOf(sources: BundleSources, { order }: StoredOrder, signal: AbortSignal) {
  const { versions, log } = sources
  const places = await versions.places(order.id, order.seq, MAX_CHANGES)
  if (places.at(-1)?.seq !== order.seq)
    throw new HistoryUnavailableError('the history has not reached the last change of this order')
  const changes = await inWaitingTime(
    sources,
    signal,
    async (deadline) => {
      try {
        return await readOrderChanges(log, order.id, places, deadline)
      } catch (cause) {
        if (!deadline.aborted) throw cause
        throw new HistoryUnavailableError('the log was not read in time', { cause })
      }
    },
    READ_MS,
  )
  // Who left has no use for a part.
  signal.throwIfAborted()
  return changes
}

/** As `releasableOrder`, but without verifying the order again. */
function artifactOf(
  sources: BundleSources,
  stored: StoredOrder,
  isOperator: boolean,
): DisputeBundle['artifact'] {
  const { kept, state } = stored.order
  const { digest } = kept.inspection
  const isStale = summarise(sources, stored).verification.stale
  const withheld = isOperator ? null : state !== 'LIVE' ? 'not_live' : isStale ? 'stale' : null
  return { digest, psbt: withheld === null ? kept.artifact : null, withheld }
}
