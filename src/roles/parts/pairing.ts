import { join } from 'node:path'
import { Counter, Histogram } from 'prom-client'
import { mapBytesOf } from '../../adapters/embedded/lmdb/lmdb-map.ts'
import { LmdbStore } from '../../adapters/embedded/lmdb/lmdb-store.ts'
import { openDivergences } from '../../adapters/embedded/stores/divergences.ts'
import { openPairingStore } from '../../adapters/embedded/stores/pairing-store.ts'
import { openHttpPeer } from '../../adapters/http-peer.ts'
import { openSigner } from '../../pairing/agreement/signing.ts'
import type { WithheldCause } from '../../pairing/agreement/withheld.ts'
import { checkpointFeed } from '../../pairing/checkpoint-feed.ts'
import { openPairingIndex, type PairingIndex } from '../../pairing/pairing-index.ts'
import {
  openPairingService,
  type PairingMetric,
  type PairingService,
  type PairingServiceSettings,
} from '../../pairing/pairing-service.ts'
import type { PeerAgreement } from '../../ports/folds/peer-agreement.ts'
import {
  type Config,
  pairingDeployment,
  trustedKeysOf,
  usesDevnet,
} from '../../schemas/config/config.ts'
import { startHeightOf } from '../../schemas/config/start-heights.ts'
import type { HeardPart } from '../context/outages.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { READINESS } from '../context/serve.ts'
import { DEVNET_SIGNING, DEVNET_TRUSTED, peerOf } from '../devnet/devnet-pipelines.ts'
import { RELEASE } from '../observe/build-info.ts'
import { meterPairingReadiness } from '../observe/readiness-metrics.ts'
import type { OpenAuthorities } from '../open/authorities.ts'
import type { LocalStore } from '../open/local-store.ts'
import { keepPairingHistory } from './pairing-history.ts'
import { type FeedLog, runPublisher } from './publish-feed.ts'
import { runFold } from './run-fold.ts'

export interface RunningPairing {
  service: PairingService
  index: PairingIndex
  /** Both pipelines run in this process, on the devnet, each with its own store. */
  hasTwin: boolean
}

/**
 * Follows the node from the start height, and serves answers that the other pipeline agrees with.
 * If there is a log, each block's checkpoint is published to it.
 */
export async function runPairing(
  context: RuntimeContext,
  local: LocalStore,
  authorities: OpenAuthorities,
  openLog: FeedLog | null,
): Promise<RunningPairing> {
  const { config, logger } = context
  const hasTwin = playsBoth(config)
  const peer = hasTwin ? await runTwin(context, authorities) : peerFrom(context)
  const settings = settingsOf(config, hasTwin)
  const store = await local.open()
  const { service, index } = await openPipeline(context, store, authorities, {
    settings,
    peer,
    onMetric: pairingMetrics(context),
  })
  meterPairingReadiness(context.metrics, service.readiness)
  for (const problem of service.keyProblems) logger.error(`pairing: ${problem}`)
  const fold = runFold('pairing', context, authorities, index)
  if (openLog) {
    const { envelopeOf } = service
    const feed = checkpointFeed({ views: index, startHeight: index.startHeight, envelopeOf })
    runPublisher('pairing feed', context, { feed, store, openLog, fold })
  }
  await keepPairingHistory(context, index)
  return { service, index, hasTwin }
}

/** The devnet offers verified reads without configuration. */
const playsBoth = (config: Config): boolean =>
  usesDevnet(config) && config.PAIRING_KEY_ID === undefined && config.PAIRING_B_URL === undefined

function peerFrom({ config, closer, outages }: RuntimeContext): PeerAgreement | null {
  if (!config.PAIRING_B_URL) return null
  const peer = openHttpPeer({ url: config.PAIRING_B_URL, timeoutMs: config.PAIRING_B_TIMEOUT_MS })
  closer.add(() => peer.close())
  return heardPeer(peer, outages.hear('peer'))
}

/** One that refuses, as it does a height that it has not folded yet, is there. */
export function heardPeer(
  peer: PeerAgreement,
  outage: Pick<HeardPart, 'answered' | 'failed'>,
): PeerAgreement {
  return {
    fetch: async (height) => {
      const answer = await peer.fetch(height)
      if (answer.did === 'fail' && isPeerAway(answer.trouble))
        outage.failed(new Error(`${answer.trouble}: ${answer.detail}`))
      else outage.answered()
      return answer
    },
  }
}

/** Pipeline B beside A: its own store, its own index, its own key. */
async function runTwin(
  context: RuntimeContext,
  authorities: OpenAuthorities,
): Promise<PeerAgreement> {
  const { config, closer } = context
  const store = await LmdbStore.open(join(config.DATA_DIR, 'pairing-b'), {
    mapBytes: mapBytesOf(config),
  })
  closer.add(() => store.close())
  const settings: PairingServiceSettings = {
    ...settingsOf(config, true),
    pipeline: 'B',
    signing: DEVNET_SIGNING.B,
  }
  const pipeline = await openPipeline(context, store, authorities, {
    settings,
    peer: null,
    // Clients do not read from B: the process counts only what A does.
    onMetric: () => {},
  })
  runFold('pairing_b', context, authorities, pipeline.index)
  return peerOf(pipeline.service)
}

/** The peer's outage has its own lines; each answer has its reason in the log (pairing spec, rule 9). */
const isPeerAway = (cause: WithheldCause): boolean =>
  cause === 'peer_unreachable' || cause === 'peer_timeout'

interface PipelineParts {
  settings: PairingServiceSettings
  peer: PeerAgreement | null
  onMetric: (metric: PairingMetric) => void
}

async function openPipeline(
  context: RuntimeContext,
  store: LmdbStore,
  { node }: OpenAuthorities,
  { settings, peer, onMetric }: PipelineParts,
): Promise<Omit<RunningPairing, 'hasTwin'>> {
  const { config, clock, logger } = context
  const { deployment, network } = settings
  const index = openPairingIndex({
    store: openPairingStore(store),
    signer: openSigner(settings.pipeline, settings.signing),
    settings: {
      deployment,
      network,
      startHeight: startHeightOf(config, 'pairing'),
      magic: Buffer.from(config.PAIRING_MAGIC, 'latin1'),
    },
  })
  const service = openPairingService({
    settings,
    views: index,
    node,
    peer,
    divergences: openDivergences(store),
    clock,
    onMetric,
    onWithheld: (cause, detail) => {
      const level = isPeerAway(cause) ? 'info' : 'warn'
      logger[level]({ cause, detail }, 'verified answer withheld')
    },
    onFault: (part, error) => context.fault(part)(error),
  })
  return { service, index }
}

function settingsOf(config: Config, isDevnet: boolean): PairingServiceSettings {
  const trusted = isDevnet
    ? DEVNET_TRUSTED
    : { A: trustedKeysOf(config.PAIRING_TRUSTED_A), B: trustedKeysOf(config.PAIRING_TRUSTED_B) }
  return {
    deployment: pairingDeployment(config),
    network: config.BITCOIN_NETWORK,
    pipeline: isDevnet ? 'A' : config.PAIRING_PIPELINE,
    maxBlockLag: config.PAIRING_MAX_BLOCK_LAG,
    mainnetVerified: config.PAIRING_MAINNET_VERIFIED,
    signing: isDevnet ? DEVNET_SIGNING.A : signingOf(config),
    trusted,
    readiness: READINESS,
  }
}

export const signingOf = (config: Config): PairingServiceSettings['signing'] => ({
  keyId: config.PAIRING_KEY_ID,
  privateKey: config.PAIRING_PRIVATE_KEY,
  release: {
    name: config.PAIRING_RELEASE_NAME ?? RELEASE.name,
    version: config.PAIRING_RELEASE_VERSION ?? RELEASE.version,
    commit: config.PAIRING_RELEASE_COMMIT ?? RELEASE.commit,
    digest: config.PAIRING_RELEASE_DIGEST ?? RELEASE.digest,
  },
})

/** Seconds: from a check in memory to the longest time-out of the other pipeline. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60]

/** What the pairing pipeline counts; outcomes are `agreed`, `verified` or a cause of a closed list. */
function pairingMetrics({
  metrics: { registry },
}: Pick<RuntimeContext, 'metrics'>): (metric: PairingMetric) => void {
  const registers = [registry]
  const checks = new Histogram({
    name: 'market_pairing_check_seconds',
    help: 'Agreement checks with the other pipeline, by outcome.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  })
  const reads = new Counter({
    name: 'market_pairing_verified_reads_total',
    help: 'Verified reads, by outcome: verified, or the reason why the answer was withheld.',
    labelNames: ['outcome'],
    registers,
  })
  const divergences = new Counter({
    name: 'market_pairing_divergences_total',
    help: 'Checks that found a divergence of the pipelines, by first differing field.',
    labelNames: ['field'],
    registers,
  })
  return (metric) => {
    if (metric.kind === 'checked') checks.observe({ outcome: metric.outcome }, metric.ms / 1_000)
    if (metric.kind === 'read') reads.inc({ outcome: metric.outcome })
    if (metric.kind === 'diverged') divergences.inc({ field: metric.field })
  }
}
