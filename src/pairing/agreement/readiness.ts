import { catchError, defer, firstValueFrom, forkJoin, map, of, timeout } from 'rxjs'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { PairingViews } from '../../ports/folds/pairing-views.ts'
import { READINESS_REASONS, type ReadinessSnapshot } from '../../schemas/api/pairing.ts'
import { cacheFor } from '../../streams/operators/cache-for.ts'

export interface ReadinessParts {
  /** Depends only on the configuration. */
  configurationValid: boolean
  signerConfigured: boolean
  /** Null: not configured. */
  node: Pick<FullNode, 'chain'> | null
  views: PairingViews
  /** How many blocks node and index may be apart. */
  maxBlockLag: number
  /** How long a probe may take, milliseconds. */
  timeoutMs: number
  /** How long one snapshot is served to all callers, milliseconds. */
  cacheForMs: number
}

type OfNode = Pick<
  ReadinessSnapshot,
  'coreAvailable' | 'coreNetworkMatches' | 'coreInitialBlockDownload' | 'nodeHeight'
>
type OfStore = Pick<ReadinessSnapshot, 'databaseAvailable' | 'canonicalHeight' | 'checkpointHeight'>
type ObservedGates = Omit<ReadinessSnapshot, 'ready' | 'reasons'>

// Every gate is in its failing state until its probe has run.
const NODE_FAILED: OfNode = {
  coreAvailable: false,
  coreNetworkMatches: false,
  coreInitialBlockDownload: true,
  nodeHeight: null,
}
const STORE_FAILED: OfStore = {
  databaseAvailable: false,
  canonicalHeight: null,
  checkpointHeight: null,
}

/**
 * Probes, gates, snapshot (docs/design/pairing.md#readiness): used by both routes, the verified
 * check and the metrics, which share one snapshot for a while. Never rejects.
 */
export function pairingReadiness(parts: ReadinessParts): () => Promise<ReadinessSnapshot> {
  const { node, views, timeoutMs, cacheForMs } = parts
  const probe = <T>(ask: () => Promise<T>, otherwise: (error: unknown) => T) =>
    defer(ask).pipe(
      timeout({ first: timeoutMs }),
      catchError((error: unknown) => of(otherwise(error))),
    )
  const snapshots = defer(() =>
    forkJoin({
      ofNode: probe(() => askNode(node), nodeWithout),
      ofStore: probe(
        async () => askStore(views),
        () => STORE_FAILED,
      ),
    }),
  ).pipe(
    map((seen) => judge(seen, parts)),
    cacheFor(cacheForMs),
  )
  return () => firstValueFrom(snapshots)
}

async function askNode(node: ReadinessParts['node']): Promise<OfNode> {
  if (!node) return NODE_FAILED
  const { tip, initialBlockDownload } = await node.chain()
  return {
    coreAvailable: true,
    coreNetworkMatches: true,
    coreInitialBlockDownload: initialBlockDownload,
    nodeHeight: tip.height,
  }
}

/** A node of another network counts as available; its chain is ignored. */
const nodeWithout = (error: unknown): OfNode => ({
  ...NODE_FAILED,
  coreAvailable: error instanceof NodeUnavailableError && error.reason === 'node_wrong_network',
})

/** Only the tip's checkpoint counts. */
const askStore = (views: PairingViews): OfStore =>
  views.read((view) => ({
    databaseAvailable: true,
    canonicalHeight: view.tip()?.height ?? null,
    checkpointHeight: heightOf(view.latestCheckpoint()?.height),
  }))

const heightOf = (decimal: string | undefined): number | null =>
  decimal === undefined ? null : Number(decimal)

function judge(
  { ofNode, ofStore }: { ofNode: OfNode; ofStore: OfStore },
  { configurationValid, signerConfigured, maxBlockLag }: ReadinessParts,
): ReadinessSnapshot {
  const { databaseAvailable, canonicalHeight, checkpointHeight } = ofStore
  const { coreAvailable, coreNetworkMatches, coreInitialBlockDownload, nodeHeight } = ofNode
  // The key order is that of the table in pairing spec 2.
  const observed: ObservedGates = {
    configurationValid,
    databaseAvailable,
    coreAvailable,
    coreNetworkMatches,
    coreInitialBlockDownload,
    nodeHeight,
    canonicalHeight,
    checkpointHeight,
    maxBlockLag,
    signerConfigured,
  }
  const reasons = READINESS_REASONS.filter((reason) => !GATES[reason](observed))
  return { ...observed, ready: reasons.length === 0, reasons }
}

/** The condition for each gate to pass, in order of evaluation. */
const GATES: Readonly<
  Record<(typeof READINESS_REASONS)[number], (seen: ObservedGates) => boolean>
> = {
  configuration_invalid: (seen) => seen.configurationValid,
  database_unavailable: (seen) => seen.databaseAvailable,
  bitcoin_core_unavailable: (seen) => seen.coreAvailable,
  bitcoin_network_mismatch: (seen) => seen.coreNetworkMatches,
  bitcoin_core_initial_block_download: (seen) => !seen.coreInitialBlockDownload,
  node_height_unknown: (seen) => seen.nodeHeight !== null,
  canonical_tip_missing: (seen) => seen.canonicalHeight !== null,
  block_lag_exceeded: ({ nodeHeight, canonicalHeight, maxBlockLag }) =>
    nodeHeight === null ||
    canonicalHeight === null ||
    Math.abs(nodeHeight - canonicalHeight) <= maxBlockLag,
  checkpoint_incomplete: ({ checkpointHeight, canonicalHeight }) =>
    checkpointHeight !== null && checkpointHeight === canonicalHeight,
  agreement_signer_unavailable: (seen) => seen.signerConfigured,
}
