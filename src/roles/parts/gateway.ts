import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { orderCheck } from '../../actors/check-order.ts'
import { offerJudge } from '../../actors/judge-unproved.ts'
import type { SignaturePool } from '../../adapters/embedded/threads/signature-pool.ts'
import { openFiatPrices } from '../../adapters/fiat-prices.ts'
import { systemLookup } from '../../adapters/webhooks/system-lookup.ts'
import { coalesceCalls } from '../../authorities/coalesce-calls.ts'
import { offerExaminer } from '../../authorities/gather-evidence.ts'
import { marketRules } from '../../domain/catalog/market-rules.ts'
import { ContentReader } from '../../gateway/content-reader.ts'
import { cursorCodec } from '../../gateway/cursor.ts'
import type { Gateway, GatewaySettings } from '../../gateway/gateway.ts'
import { lastWatermark } from '../../gateway/last-watermark.ts'
import { openStoredBudget } from '../../gateway/stored-budget.ts'
import { buildApp, DEFAULT_HTTP_SETTINGS } from '../../http/app.ts'
import { widestNetworkOf } from '../../http/clients/client.ts'
import { CONSOLE_DIRECTORY, GUIDE_DIRECTORY } from '../../http/console/console-routes.ts'
import { meterEventLoopLag } from '../../http/event-loop-lag.ts'
import type { RateLimits } from '../../http/limits/rate-limits.ts'
import type { Readiness } from '../../http/routes/probes.ts'
import type { PairingService } from '../../pairing/pairing-service.ts'
import type { CircleViews } from '../../ports/folds/circle-views.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { RecordBrowser } from '../../ports/log/record-browser.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LANES, type Lane } from '../../runtime/lanes.ts'
import { type Config, publicOrigin } from '../../schemas/config/config.ts'
import { followChanges } from '../../streams/activity/follow-changes.ts'
import { listingReadiness } from '../../streams/readiness/listing-readiness.ts'
import { writableStorage } from '../../streams/readiness/writable-storage.ts'
import type { Closer } from '../context/closer.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { devnetControl } from '../devnet/devnet-control.ts'
import { bundleSigner } from '../keys/bundle-signer.ts'
import { cursorKeys, webhookKeys } from '../keys/cursor-keys.ts'
import { BUILD_INFO } from '../observe/build-info.ts'
import { ProcessMeter } from '../observe/process-meter.ts'
import { inLane, type OpenAuthorities } from '../open/authorities.ts'
import type { ReadModels } from '../open/open-read-models.ts'
import type { OpenCustomers } from './customers.ts'
import type { Intake } from './intake.ts'

const READINESS_TIMEOUT_MS = 3_000
const READINESS_CACHED_MS = 1_000
/** Less than the whole observation: a log that hangs counts as unavailable storage. */
const LOG_TIMEOUT_MS = 2_000
/** Less than the socket's idle time-out, as no data flows during the wait. */
export const VERDICT_WAIT_MS = 15_000
/**
 * Time for requests to end at a close: with everything closed after them it must fit within 10 s.
 */
export const DRAIN_MS = 8_000

export interface GatewayParts {
  log: EventLog
  book: ReadModels
  authorities: OpenAuthorities
  signatures: SignaturePool
  /** Absent: no key means anything here. */
  customers?: OpenCustomers | undefined
}

export function openGateway(
  { config, clock, report }: RuntimeContext,
  { log, book, authorities, signatures, customers }: GatewayParts,
): Gateway {
  const { views, history, statistics, versions, builds, pool } = book
  views.keepListable()
  const examinerIn = (lane: Lane) =>
    offerExaminer(coalesceCalls({ ...inLane(authorities, lane), signatures, clock }))
  const offers = examinerIn(LANES.first)
  return {
    log,
    views,
    history,
    statistics,
    versions,
    changes: followChanges({
      log,
      clock,
      onFailure: (error) => report('changes', error, 'changes_unreadable'),
    }),
    readiness: listingReadiness({
      ...authorities,
      storage: writableStorage({ log, views, clock, logMs: LOG_TIMEOUT_MS }),
      clock,
      maxLagBlocks: config.MAX_LAG_BLOCKS,
      timeoutMs: READINESS_TIMEOUT_MS,
      cacheForMs: READINESS_CACHED_MS,
    }),
    proofs: signatures,
    purchases: signatures,
    artifacts: signatures,
    offers,
    inspections: examinerIn(LANES.judgement),
    judge: offerJudge({
      offers: { incoming: examinerIn(LANES.judgement), again: examinerIn(LANES.later) },
      network: config.BITCOIN_NETWORK,
      marketOf: marketRules,
    }),
    lastWatermark: lastWatermark({ log, views, clock }),
    checks: orderCheck({ examiner: offers, marketOf: marketRules }),
    bundleSigner: bundleSigner(config),
    builds,
    stored: openStoredBudget(config.RATE_LIMIT_PROVED_KIB * 1_024, clock, {
      ...(customers && { customers: customers.allowance }),
      strangers: {
        inAll: config.RATE_LIMIT_STRANGERS_PROVED_KIB * 1_024,
        networkOf: widestNetworkOf,
      },
    }),
    pool,
    node: authorities.node,
    index: authorities.index,
    contents: authorities.contents ? new ContentReader(authorities.contents, clock) : null,
    cursors: cursorCodec(cursorKeys(config)),
    clock,
    newRequestId: randomUUID,
    settings: gatewaySettings(config, authorities),
  }
}

const isThere = (part: unknown): boolean => part !== null && part !== undefined

/** What answers depend on besides the orders themselves. */
export const gatewaySettings = (
  config: Config,
  { node, index, contents }: Partial<Record<'node' | 'index' | 'contents', unknown>> = {},
): GatewaySettings => ({
  network: config.BITCOIN_NETWORK,
  enabled: config.MARKET_ENABLED,
  nodeConfigured: isThere(node),
  indexConfigured: isThere(index),
  contentConfigured: isThere(contents),
  maxVerificationAgeSeconds: config.MAX_VERIFICATION_AGE_SECONDS,
  publicOrigin: publicOrigin(config),
  ownershipWindowSeconds: config.OWNERSHIP_WINDOW_SECONDS,
  quoteTtlSeconds: config.QUOTE_TTL_SECONDS,
  verdictWaitMs: VERDICT_WAIT_MS,
})

export interface GatewayAppParts extends Pick<GatewayParts, 'book' | 'authorities' | 'customers'> {
  browser: RecordBrowser
  pairing?: PairingService | undefined
  circles?: CircleViews | undefined
  /** Absent: another process reads the feeds. */
  intake?: Intake | undefined
  /** See `AllInOneOverrides`. */
  lagMs?: (() => number) | undefined
}

/** The routes of the gateway with its probes, not yet listening. */
export function gatewayApp(
  { config, clock, logger, metrics, closer }: RuntimeContext,
  gateway: Gateway,
  { browser, book, authorities, customers, pairing, circles, intake, lagMs }: GatewayAppParts,
  readiness: () => Promise<Readiness>,
): FastifyInstance {
  const lag = meterEventLoopLag()
  closer.add(() => lag.close())
  const { registry } = metrics
  const meter = new ProcessMeter({
    ...{ registry, clock },
    role: config.ROLE === 'all' ? 'all' : 'gateway',
  })
  const stop = new AbortController()
  const metering = meter.run(stop.signal)
  closer.add(() => {
    stop.abort()
    return metering
  })
  const { idempotency, sharedCounts, webhookProgress: progress } = book
  const app = buildApp({
    gateway,
    idempotency,
    ...(sharedCounts ? { sharedCounts } : {}),
    logger,
    registry: metrics.registry,
    lagMs: lagMs ?? (() => lag.read()),
    readiness,
    pairing,
    circles,
    webhooks: {
      ...{ log: gateway.log, clock: gateway.clock, settings: gateway.settings, progress },
      keys: webhookKeys(config),
      loopback: config.WEBHOOK_LOOPBACK,
      lookUp: systemLookup(gateway.clock),
      ...(customers && { tierOf: (name: string) => customers.keys.tierOf(name) }),
    },
    customers,
    operations: {
      ...book,
      ...{ build: BUILD_INFO, log: gateway.log, browser, clock },
      process: () => meter.read(),
      feeds: intake ? () => intake.status() : null,
    },
    console: config.CONSOLE
      ? {
          directory: CONSOLE_DIRECTORY,
          guide: GUIDE_DIRECTORY,
          isDevnet: authorities.devnet !== null,
          explorerUrl: config.EXPLORER_URL,
          assetExplorerUrl: config.ASSET_EXPLORER_URL,
          fiatPrices: openFiat(config, gateway.clock, closer),
        }
      : undefined,
    settings: {
      ...DEFAULT_HTTP_SETTINGS,
      drainMs: DRAIN_MS,
      trustProxy: config.TRUST_PROXY ?? [],
      allowedOrigins: config.ALLOWED_ORIGINS ?? [],
      operators: config.OPERATOR_TOKENS ?? [],
      rateLimits: rateLimitsOf(config),
      maxConnections: config.MAX_CONNECTIONS,
      streams: {
        ...DEFAULT_HTTP_SETTINGS.streams,
        inAll: config.MAX_STREAMS,
      },
      logClients: config.LOG_CLIENTS,
      clientsAtOnce: config.RATE_LIMIT_CLIENTS_AT_ONCE,
      keysPerMinute: config.RATE_LIMIT_KEYS,
      keyStreams: config.MAX_KEY_STREAMS,
    },
  })
  app.addHook('onListen', async () => lag.begin())
  if (authorities.devnet) {
    const { PAIRING_MAGIC: pairingMagic, DEVNET_CONTROL: control } = config
    const { devnet } = authorities
    app.register(devnetControl, { devnet, pairingMagic, isOpen: control === 'open' })
  }
  return app
}

function openFiat({ FIAT_PRICES_URL: url }: Config, clock: Clock, closer: Closer) {
  if (url === undefined) return undefined
  const prices = openFiatPrices({ url, clock })
  closer.add(() => prices.close())
  return prices
}

export const rateLimitsOf = (config: Config): RateLimits => ({
  artifact: config.RATE_LIMIT_ARTIFACT,
  revalidate: config.RATE_LIMIT_REVALIDATE,
  build: config.RATE_LIMIT_BUILD,
  publish: config.RATE_LIMIT_PUBLISH,
  withdraw: config.RATE_LIMIT_WITHDRAW,
  operator: config.RATE_LIMIT_OPERATOR,
  records: config.RATE_LIMIT_RECORDS,
  quote: config.RATE_LIMIT_QUOTE,
  preflight: config.RATE_LIMIT_PREFLIGHT,
  import: config.RATE_LIMIT_IMPORT,
  portableEvent: config.RATE_LIMIT_PORTABLE_EVENT,
  outpoint: config.RATE_LIMIT_OUTPOINT,
  outpointCheck: config.RATE_LIMIT_OUTPOINT_CHECK,
  content: config.RATE_LIMIT_CONTENT,
  statistics: config.RATE_LIMIT_STATISTICS,
  statisticFile: config.RATE_LIMIT_STATISTIC_FILE,
  stream: config.RATE_LIMIT_STREAM,
  reference: config.RATE_LIMIT_REFERENCE,
  guide: config.RATE_LIMIT_GUIDE,
  read: config.RATE_LIMIT_READ,
})
