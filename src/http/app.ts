import { join } from 'node:path'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Registry } from 'prom-client'
import type { CustomerKeys } from '../gateway/customers/customer-keys.ts'
import type { KeyOffice } from '../gateway/customers/manage-keys.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { readLinkPreview } from '../gateway/reading/read-link-preview.ts'
import type { OperationsSources } from '../gateway/reading/read-operations.ts'
import type { WebhookOffice } from '../gateway/webhooks/manage-webhooks.ts'
import type { PairingService } from '../pairing/pairing-service.ts'
import type { CircleViews } from '../ports/folds/circle-views.ts'
import type { IdempotencyStore } from '../ports/views/idempotency.ts'
import type { RequestCounts } from '../ports/views/request-counts.ts'
import { LANES } from '../runtime/lanes.ts'
import type { Operator } from '../schemas/config/config.ts'
import { isBelow, readableTarget } from './answers/message-errors.ts'
import { circleRoutes } from './circles/routes.ts'
import { isKeyAccepted, recogniseCustomer } from './clients/customers.ts'
import { trustOf } from './clients/trusted-proxies.ts'
import { PAGE_POLICY } from './console/built-files.ts'
import { type ConsoleSettings, consoleRoutes } from './console/console-routes.ts'
import { guardAdmission } from './limits/admission.ts'
import { type KeyLimits, openKeyLimits } from './limits/key-limits.ts'
import { limitMessages } from './limits/message-limits.ts'
import { openQueues } from './limits/queues.ts'
import {
  type Limiters,
  limitersOf,
  limitReads,
  loadRateLimits,
  type RateLimits,
} from './limits/rate-limits.ts'
import { RefusalThrottle } from './limits/refusal-throttle.ts'
import { describeRoutes } from './openapi/document.ts'
import {
  MISSING_PAGE,
  REFERENCE_DIRECTORY,
  serveDescription,
  showReference,
} from './openapi/reference.ts'
import { pairingRoutes } from './pairing/routes.ts'
import { compressAnswers } from './plugins/compression.ts'
import { allowOrigins } from './plugins/cross-origin.ts'
import { type Drain, drainOnClose } from './plugins/drain.ts'
import {
  answerClientErrors,
  answerConnect,
  answerErrors,
  refuseOtherMethods,
  sendRefusal,
} from './plugins/errors.ts'
import { setHeaders, setHeadersOfUnrouted } from './plugins/headers.ts'
import { replayPosts } from './plugins/idempotency.ts'
import { readJsonBodies } from './plugins/json-body.ts'
import { missingPage } from './plugins/missing-page.ts'
import { type LogClients, observeAnswers } from './plugins/observation.ts'
import { showOpenAnswers } from './plugins/open-answers.ts'
import { answerInOrder } from './plugins/pipelining.ts'
import { noticeProxies } from './plugins/proxies.ts'
import { boundReading, type ReadingLimits } from './plugins/reading-speed.ts'
import { paceRequestStarts } from './plugins/request-starts.ts'
import {
  endRefusedUploads,
  redirectSlashes,
  refuseUnknownRoutes,
} from './plugins/unknown-routes.ts'
import { validatorCompiler } from './query/validation.ts'
import { BODY_BYTES } from './requests/body-bytes.ts'
import { requestIdOf } from './requests/request-id.ts'
import { requestLog } from './requests/request-log.ts'
import { activityRoutes, type StreamLimits, streamRoutes } from './routes/activity.ts'
import { indexRoutes } from './routes/api-index.ts'
import { batchRoutes } from './routes/batches.ts'
import { contentRoutes } from './routes/contents.ts'
import { BASE } from './routes/context.ts'
import { contractRoutes } from './routes/contract.ts'
import { importRoutes, inspectionRoutes, listingRoutes, ownershipRoutes } from './routes/listing.ts'
import { adminRoutes } from './routes/operators/admin.ts'
import { disputeRoutes } from './routes/operators/disputes.ts'
import { keyRoutes } from './routes/operators/keys.ts'
import { operationRoutes } from './routes/operators/operations.ts'
import { webhookRoutes } from './routes/operators/webhooks.ts'
import { orderRoutes } from './routes/orders.ts'
import { outpointRoutes } from './routes/outpoints.ts'
import { probeRoutes, type Readiness } from './routes/probes.ts'
import { purchaseRoutes } from './routes/purchases.ts'
import { statisticFileRoutes } from './routes/statistic-files.ts'
import { statisticRoutes } from './routes/statistics.ts'

export interface AppDeps {
  gateway: Gateway
  idempotency: IdempotencyStore
  /** Where gateways count a client's requests together; absent: this gateway counts alone. */
  sharedCounts?: RequestCounts
  logger: FastifyBaseLogger
  registry: Registry
  /** The mean delay of the event loop just now, milliseconds: see event-loop-lag.ts. */
  lagMs: () => number
  readiness: () => Promise<Readiness>
  /** Present if this process also runs a pairing pipeline. */
  pairing?: PairingService | undefined
  /** Present if this process also keeps the circles. */
  circles?: CircleViews | undefined
  /** Present if operators may manage webhooks here. */
  webhooks?: WebhookOffice | undefined
  /** Absent: no key means anything here. */
  customers?: Customers | undefined
  /** The sources of the progress that operators may read here. */
  operations: OperationsSources
  /** Absent: `/` is a path like any other that does not exist. */
  console?: ConsoleSettings | undefined
  /** The folder of the built reference of the API; by default that of this build. */
  reference?: string
  settings: HttpSettings
}

/** Who sends keys, and how operators make them. */
export interface Customers {
  keys: Pick<CustomerKeys, 'recognise'>
  office: KeyOffice
}

export interface HttpSettings {
  /**
   * Addresses and CIDR ranges whose X-Forwarded-For counts, or the number of chained proxies before
   * this service, the nearest in its own network; empty: no proxy is trusted.
   */
  trustProxy: readonly string[] | number
  rateLimits: RateLimits
  /** See `LimiterSettings`. */
  clientsAtOnce: number
  /** Requests per minute of all customers together, and lines of their batches. */
  keysPerMinute: number
  /** Streams of all customers together; strangers' streams are counted apart. */
  keyStreams: number
  /** Origins whose pages may use the API; `*`: all. Empty: none. */
  allowedOrigins: readonly string[]
  /** Who may moderate; empty: no one. */
  operators: readonly Operator[]
  maxLagMs: number
  /** Concurrent connections of the whole server; one more is closed at once. */
  maxConnections: number
  /** What the log line of an answer records about its client. */
  logClients: LogClients
  /** How long a close may take, milliseconds. */
  drainMs: number
  timeouts: Timeouts
  streams: StreamLimits
  reading: ReadingLimits
}

/**
 * Milliseconds. A verdict may be awaited for `GatewaySettings.verdictWaitMs` with no traffic on the
 * socket: `idle` must be longer than that.
 */
export interface Timeouts {
  /** For the headers of a request to arrive. */
  headers: number
  /** For a whole request to arrive. */
  request: number
  /** For any traffic on a socket. */
  idle: number
  /** For the next request on a connection. */
  keepAlive: number
  /** For a market answer to begin: before `idle` closes the connection without one. */
  answer: number
}

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain
  }
}

export const DEFAULT_HTTP_SETTINGS: HttpSettings = {
  trustProxy: [],
  rateLimits: {
    artifact: 60,
    revalidate: 30,
    build: 30,
    publish: 30,
    withdraw: 10,
    operator: 10,
    records: 60,
    quote: 60,
    preflight: 60,
    import: 60,
    portableEvent: 60,
    outpoint: 60,
    outpointCheck: 30,
    content: 300,
    statistics: 30,
    statisticFile: 12,
    stream: 120,
    reference: 40,
    guide: 1_200,
    read: 600,
  },
  clientsAtOnce: 32,
  keysPerMinute: 60_000,
  keyStreams: 500,
  allowedOrigins: [],
  operators: [],
  maxLagMs: 200,
  maxConnections: 10_000,
  logClients: 'address',
  drainMs: 10_000,
  timeouts: { headers: 10_000, request: 15_000, idle: 20_000, keepAlive: 10_000, answer: 18_000 },
  streams: { perClient: 8, inAll: 1_000, unreadMs: 30_000, longestMs: 3_600_000 },
  reading: {
    answerMs: 30_000,
    bytesPerSecond: 20_000,
    clientBytes: 16 * 2 ** 20,
    allBytes: 128 * 2 ** 20,
  },
}

const MAX_REQUESTS_PER_SOCKET = 1_000

/** The whole HTTP side of a gateway, not yet listening. Closing it drains it. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const throttle = new RefusalThrottle(deps.gateway.clock)
  const app = createServer({ ...deps, throttle })
  const known = routesOf(app)

  observeAnswers(app, deps.registry, deps.settings.logClients)
  answerInOrder(app)
  noticeProxies(app, deps.registry)
  setHeaders(app)
  compressAnswers(app)
  allowOrigins(app, deps.settings.allowedOrigins)
  // The page lists the console and the guide: without them an address is a path of the API.
  const missing = join(deps.reference ?? REFERENCE_DIRECTORY, MISSING_PAGE)
  answerErrors(app, deps.console && missingPage(missing, PAGE_POLICY))
  const drain = drainOnClose(app, deps.settings)
  app.decorate('drain', drain)
  guardAdmission(app, { ...deps.settings, ...deps, enabled: deps.gateway.settings.enabled })
  redirectSlashes(app, BASE, throttle)
  refuseUnknownRoutes(app, throttle)
  readJsonBodies(app)
  replayPosts(app, { idempotency: deps.idempotency, clock: deps.gateway.clock })
  loadRateLimits(app, deps.sharedCounts)
  boundReading(app, deps.registry, deps.settings.reading)
  showOpenAnswers(app, deps.registry)
  describeRoutes(app)
  app.decorateRequest('customer', null)

  // Routes are added in a nested plugin, since the rate limiter exists only once it is loaded.
  app.register(async (guarded) => {
    const { rateLimits: limits, clientsAtOnce } = deps.settings
    const { clock } = deps.gateway
    const keys = deps.customers ? keyLimitsOf(guarded, deps) : null
    const shared = deps.sharedCounts
    const limiters = limitersOf(guarded, { limits, clientsAtOnce, clock, throttle, keys, shared })
    // Before the limits, which it decides.
    if (deps.customers)
      guarded.addHook('onRequest', recogniseCustomer(deps.customers.keys, throttle))
    guarded.register(async (routes) =>
      addMarketRoutes(routes, deps, { limiters, throttle, drain, known, keys }),
    )
    // After the refusals of other methods: these scopes answer those themselves.
    guarded.register(async (messages) => {
      limitMessages(messages, limiters)
      paceRequestStarts(messages, deps.gateway.clock, 'all')
      const { cursors } = deps.gateway
      if (deps.pairing) {
        const now = () => deps.gateway.clock.now()
        const { operators } = deps.settings
        pairingRoutes(messages, deps.pairing, { operators, limiters, now, cursors })
      }
      if (deps.circles) circleRoutes(messages, { circles: deps.circles, cursors })
    })
  })
  return app
}

const keyLimitsOf = (app: FastifyInstance, { settings, gateway, registry }: AppDeps): KeyLimits =>
  openKeyLimits(app, { perMinute: settings.keysPerMinute, clock: gateway.clock, registry })

interface MarketScope {
  limiters: Limiters
  throttle: RefusalThrottle
  drain: Drain
  /** Null: there are no customers. */
  keys: KeyLimits | null
  /** The methods of each path so far. */
  known: ReadonlyMap<string, ReadonlySet<string>>
}

function addMarketRoutes(
  routes: FastifyInstance,
  {
    gateway,
    registry,
    readiness,
    settings,
    webhooks,
    customers,
    operations,
    console: pages,
    reference,
  }: AppDeps,
  { limiters, throttle, drain, known, keys }: MarketScope,
): void {
  const context = { gateway, signal: drain.signal, limiters, ...openQueues(gateway) }
  limitReads(routes, limiters)
  paceRequestStarts(routes, gateway.clock, 'posts')
  routes.addHook('onRoute', (route) => {
    if (route.url.startsWith(`${BASE}/admin/`))
      route.config = { ...route.config, isOperators: true }
    if (!route.config?.isStream && !route.config?.isBatch)
      route.handlerTimeout = settings.timeouts.answer
  })
  indexRoutes(routes)
  contractRoutes(routes, context)
  listingRoutes(routes, context)
  importRoutes(routes, context)
  const isAccepted = (request: FastifyRequest) =>
    !customers || isKeyAccepted(request, customers.keys)
  if (keys) batchRoutes(routes, context, { keys, throttle, registry, isAccepted })
  inspectionRoutes(routes, context)
  orderRoutes(routes, context)
  outpointRoutes(routes, context)
  contentRoutes(routes, context)
  purchaseRoutes(routes, context)
  ownershipRoutes(routes, context)
  adminRoutes(routes, context, settings.operators)
  operationRoutes(routes, context, { operations, operators: settings.operators })
  if (webhooks) webhookRoutes(routes, context, { office: webhooks, operators: settings.operators })
  if (customers)
    keyRoutes(routes, context, { office: customers.office, operators: settings.operators })
  disputeRoutes(routes, context, settings.operators)
  activityRoutes(routes, context)
  const { streams: limits, keyStreams } = settings
  streamRoutes(routes, context, { limits, keyStreams, isAccepted })
  statisticRoutes(routes, context)
  statisticFileRoutes(routes, context)
  probeRoutes(routes, { drain, readiness })
  const description = serveDescription(routes)
  refuseOtherMethods(routes, new Map(known), throttle)
  showReference(routes, description, {
    directory: reference,
    hasConsole: pages !== undefined,
  })
  if (pages) {
    const read = (id: string) =>
      context.stores.orders.run(LANES.first, () => readLinkPreview(gateway, id))
    consoleRoutes(routes, pages, { read, clock: gateway.clock }, throttle)
  }
}

/** Paths whose failures have the shapes of message-errors.ts, where they are served. */
export const MESSAGE_PATHS = isBelow('/pairing', '/ready', '/circles')

/** A server that is bounded in time and size, with no route. */
export function createServer({
  logger,
  settings,
  throttle,
  answersInMessages = MESSAGE_PATHS,
}: Pick<AppDeps, 'logger'> & {
  settings: Pick<HttpSettings, 'timeouts' | 'trustProxy' | 'maxConnections'>
  throttle?: RefusalThrottle
  answersInMessages?: (path: string) => boolean
}): FastifyInstance {
  const { timeouts } = settings
  const app = Fastify({
    loggerInstance: logger,
    // plugins/observation.ts writes one line per answer.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: requestLog,
    genReqId: requestIdOf,
    trustProxy: trustOf(settings.trustProxy),
    bodyLimit: BODY_BYTES.any,
    // No plugin time-out: a start with little processor time is slow, not stuck, and its supervisor
    // bounds it.
    pluginTimeout: 0,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.idle,
    keepAliveTimeout: timeouts.keepAlive,
    maxRequestsPerSocket: MAX_REQUESTS_PER_SOCKET,
    return503OnClosing: false,
    rewriteUrl: readableTarget(answersInMessages),
    // An overlong path is refused by its length (limits/admission.ts), not by its segments.
    routerOptions: { maxParamLength: 16_384 },
    http: {
      headersTimeout: timeouts.headers,
      // How often the two arrival time-outs are checked: Node's default of 30 s would double them.
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
      maxHeaderSize: 16_384,
      // No answer depends on Host; Node would refuse a request without it, bypassing the envelope.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientErrors(throttle),
    frameworkErrors: (error, request, reply) => {
      setHeadersOfUnrouted(request, reply)
      // A flood of paths that no router can read is one of unknown paths.
      const delayed = throttle?.delay() ?? Promise.resolve()
      void delayed.then(() => sendRefusal(error, request, reply))
    },
  })
  app.setValidatorCompiler(validatorCompiler)
  // The types guarantee the form; tests also check every answer against its schema (ADR 51).
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
  app.decorateRequest('client', null)
  endRefusedUploads(app)
  // An unknown Expect may be ignored (RFC 9110, 10.1.1); Node would refuse it without the envelope.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  app.server.on('connect', answerConnect)
  app.server.maxConnections = settings.maxConnections
  return app
}

/** Collects the methods of each path as routes are added. */
function routesOf(app: FastifyInstance): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    // For preflights of any path.
    if (url === '*') return
    const methods = known.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    known.set(url, methods)
  })
  return known
}
