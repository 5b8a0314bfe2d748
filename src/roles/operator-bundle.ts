import { bundleTextOf } from '../gateway/dispute/make-bundle.ts'
import { RefusalError } from '../gateway/refusal.ts'
import type { AssetIndex } from '../ports/authorities/asset-index.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import { OperatorError } from '../ports/base-errors.ts'
import type { EventLog } from '../ports/log/event-log.ts'
import type { RuntimeContext } from './context/runtime-context.ts'
import { existingBundleSigner } from './keys/bundle-signer.ts'
import type { ReadModels } from './open/open-read-models.ts'
import { gatewaySettings } from './parts/gateway.ts'

/** This order has no bundle: the message says why. */
export class NoBundleError extends OperatorError {
  override name = 'NoBundleError'
}

export interface BundleParts {
  log: EventLog
  book: Pick<ReadModels, 'views' | 'pool' | 'versions'>
  /** Null if none is configured: the bundle then has no proofs. */
  node: FullNode | null
  index: AssetIndex | null
}

/**
 * The bundle of an order with nothing withheld, as its operator route gives it.
 *
 * @throws NoBundleError @throws HistoryUnavailableError @throws NodeUnavailableError
 */
export async function operatorBundle(
  { config, clock }: Pick<RuntimeContext, 'config' | 'clock'>,
  { log, book: { views, pool, versions }, node, index }: BundleParts,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const settings = gatewaySettings(config, { node, index })
  const sources = {
    ...{ log, views, pool, versions, node, clock, settings },
    bundleSigner: existingBundleSigner(config),
  }
  try {
    return await bundleTextOf(sources, id, { isOperator: true, signal })
  } catch (error) {
    if (error instanceof RefusalError) throw new NoBundleError(error.message, { cause: error })
    throw error
  }
}
