import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { SweepPace } from '../actors/audit-sweep.ts'
import { offerExaminer } from '../actors/gather-evidence.ts'
import { openSignaturePool } from '../adapters/embedded/signature-pool.ts'
import { systemClock } from '../adapters/embedded/system-clock.ts'
import { cursorCodec } from '../gateway/cursor.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { buildApp, DEFAULT_HTTP_SETTINGS } from '../http/app.ts'
import { meterEventLoopLag } from '../http/event-loop-lag.ts'
import { metricsListener } from '../http/metrics.ts'
import type { Clock } from '../ports/clock.ts'
import type { OnPoint } from '../ports/crash-points.ts'
import { type Config, publicOrigin } from '../schemas/config.ts'
import { listingReadiness } from '../streams/listing-readiness.ts'
import { type OpenAuthorities, openAuthorities } from './authorities.ts'
import { Closer } from './closer.ts'
import { cursorKeys } from './cursor-keys.ts'
import { devnetControl } from './devnet-control.ts'
import { openLogger } from './logger.ts'
import { openMetrics } from './metrics.ts'
import { runPipelines } from './pipelines.ts'
import { openStores, type Stores } from './stores.ts'

const READINESS_TIMEOUT_MS = 3_000
const READINESS_SHARED_MS = 1_000
/** Less than the idle time-out of a socket, on which nothing moves meanwhile. */
export const VERDICT_WAIT_MS = 15_000
/** Requests may take this long to end at a close: what comes after them must be closed within 10 s too. */
const DRAIN_MS = 8_000

export interface Running {
  address: string
  metricsAddress: string
  gateway: Gateway
  authorities: OpenAuthorities
  stores: Stores
  close(): Promise<void>
}

export interface Surroundings {
  clock?: Clock
  logger?: Logger
  onPoint?: OnPoint
  /** Opened, and closed, by the caller; otherwise those that the configuration names are opened. */
  authorities?: OpenAuthorities
  sweepPace?: SweepPace
}

/** ROLE=all: everything in one process on the embedded stores. Resolves when it serves. */
export async function runAll(config: Config, surroundings: Surroundings = {}): Promise<Running> {
  const closer = new Closer()
  try {
    return await openAll(config, surroundings, closer)
  } catch (error) {
    await closer.close().catch(() => undefined)
    throw error
  }
}

async function openAll(
  config: Config,
  {
    clock = systemClock,
    logger = openLogger(config),
    onPoint,
    authorities: given,
    sweepPace,
  }: Surroundings,
  closer: Closer,
): Promise<Running> {
  const metrics = openMetrics()
  const stores = await openStores(config, {
    clock,
    logger,
    metrics,
    closer,
    ...(onPoint ? { onPoint } : {}),
  })
  const authorityCloser = new Closer()
  closer.add(() => authorityCloser.close())
  const authorities = given ?? openAuthorities(config, clock, authorityCloser, metrics)
  const signatures = openSignaturePool({ threads: config.SIGNATURE_THREADS })
  closer.add(() => signatures.close())
  const gateway: Gateway = {
    log: stores.log,
    views: stores.views,
    history: stores.history,
    readiness: listingReadiness({
      ...authorities,
      storage: stores.views,
      clock,
      maxLagBlocks: config.MAX_LAG_BLOCKS,
      timeoutMs: READINESS_TIMEOUT_MS,
      sharedForMs: READINESS_SHARED_MS,
    }),
    proofs: signatures,
    offers: offerExaminer({ ...authorities, signatures, clock }),
    builds: stores.builds,
    node: authorities.node,
    index: authorities.index,
    cursors: cursorCodec(cursorKeys(config)),
    clock,
    newRequestId: randomUUID,
    settings: {
      network: config.BITCOIN_NETWORK,
      enabled: config.MARKET_ENABLED,
      nodeConfigured: authorities.node !== null,
      indexConfigured: authorities.index !== null,
      maxVerificationAgeSeconds: config.MAX_VERIFICATION_AGE_SECONDS,
      publicOrigin: publicOrigin(config),
      ownershipWindowSeconds: config.OWNERSHIP_WINDOW_SECONDS,
      quoteTtlSeconds: config.QUOTE_TTL_SECONDS,
      verdictWaitMs: VERDICT_WAIT_MS,
    },
  }
  // chDB opens in one piece of work that holds the event loop: better before anybody waits for it.
  await stores.history.probe().catch(() => undefined)
  const pipelines = runPipelines(config, {
    stores,
    authorities,
    signatures,
    clock,
    logger,
    metrics,
    closer,
    closeAuthorities: () => authorityCloser.close(),
    ...(sweepPace ? { sweepPace } : {}),
  })

  const lag = meterEventLoopLag()
  closer.add(() => lag.close())
  const app = buildApp({
    gateway,
    idempotency: stores.idempotency,
    logger,
    registry: metrics.registry,
    lagMs: () => lag.read(),
    unreadiness: pipelines.unreadiness,
    settings: {
      ...DEFAULT_HTTP_SETTINGS,
      drainMs: DRAIN_MS,
      trustProxy: config.TRUST_PROXY ?? [],
      operators: config.OPERATOR_TOKENS ?? [],
      rateLimits: {
        ...DEFAULT_HTTP_SETTINGS.rateLimits,
        artifact: config.RATE_LIMIT_ARTIFACT,
        revalidate: config.RATE_LIMIT_REVALIDATE,
        build: config.RATE_LIMIT_BUILD,
        publish: config.RATE_LIMIT_PUBLISH,
        withdraw: config.RATE_LIMIT_WITHDRAW,
        quote: config.RATE_LIMIT_QUOTE,
        preflight: config.RATE_LIMIT_PREFLIGHT,
        import: config.RATE_LIMIT_IMPORT,
        portableEvent: config.RATE_LIMIT_PORTABLE_EVENT,
      },
    },
  })
  const { devnet } = authorities
  if (devnet) app.register(devnetControl, { devnet })
  closer.add(() => {
    // Probes say no before connections are refused.
    app.drain.begin()
    return app.close()
  })
  const address = await app.listen({ host: config.HOST, port: config.PORT })
  const metricsAddress = await serveMetrics(config, metricsListener(metrics.registry), closer)
  return { address, metricsAddress, gateway, authorities, stores, close: () => closer.close() }
}

async function serveMetrics(
  { HOST, METRICS_PORT }: Config,
  listener: ReturnType<typeof metricsListener>,
  closer: Closer,
): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(METRICS_PORT, HOST, resolve)
  })
  closer.add(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://${HOST}:${(server.address() as AddressInfo).port}`
}
