import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { Registry } from 'prom-client'
import type { Gateway } from '../gateway/gateway.ts'
import type { PairingService } from '../pairing/pairing-service.ts'
import type { CircleViews } from '../ports/circle-views.ts'
import type { IdempotencyStore } from '../ports/idempotency.ts'
import { type Lanes, openLanes } from '../ports/lanes.ts'
import type { Operator } from '../schemas/config.ts'
import { circleRoutes } from './circles/routes.ts'
import { isBelow, readableTarget } from './message-errors.ts'
import { isNear } from './near-addresses.ts'
import { describeRoutes } from './openapi/document.ts'
import { serveDescription, showReference } from './openapi/reference.ts'
import { pairingRoutes } from './pairing/routes.ts'
import { guardAdmission } from './plugins/admission.ts'
import { type Drain, drainOnClose } from './plugins/drain.ts'
import {
  answerClientError,
  answerConnect,
  answerErrors,
  refuseOtherMethods,
  sendRefusal,
} from './plugins/errors.ts'
import { setHeaders, setHeadersOfStray } from './plugins/headers.ts'
import { replayPosts } from './plugins/idempotency.ts'
import { readJsonBodies } from './plugins/json-body.ts'
import { observeAnswers } from './plugins/observation.ts'
import { noticeProxies } from './plugins/proxies.ts'
import {
  limitersOf,
  limitReads,
  loadRateLimits,
  type RateLimits,
  type SharedCounts,
} from './plugins/rate-limits.ts'
import { endRefusedUploads, refuseStrays } from './plugins/strays.ts'
import { requestIdOf } from './request-id.ts'
import { activityRoutes } from './routes/activity.ts'
import { adminRoutes } from './routes/admin.ts'
import { contractRoutes } from './routes/contract.ts'
import { importRoutes } from './routes/imports.ts'
import { listingRoutes } from './routes/listings.ts'
import { orderRoutes } from './routes/orders.ts'
import { ownershipRoutes } from './routes/ownership.ts'
import { probeRoutes, type Readiness } from './routes/probes.ts'
import { purchaseRoutes } from './routes/purchases.ts'
import { validatorCompiler } from './validation.ts'

export interface AppDeps {
  gateway: Gateway
  idempotency: IdempotencyStore
  /** Where gateways count the requests of a client together; absent: this one counts for itself. */
  sharedCounts?: SharedCounts
  logger: FastifyBaseLogger
  registry: Registry
  /** The mean delay of the event loop just now, milliseconds: see event-loop-lag.ts. */
  lagMs: () => number
  readiness: () => Promise<Readiness>
  /** Where this process runs a pairing pipeline too. */
  pairing?: PairingService | undefined
  /** Where it keeps the circles too. */
  circles?: CircleViews | undefined
  settings: HttpSettings
}

export interface HttpSettings {
  /**
   * Addresses and CIDR ranges whose X-Forwarded-For counts, or how many proxies stand one behind the
   * other before this service, the nearest in its own network; empty: nobody's does.
   */
  trustProxy: readonly string[] | number
  rateLimits: RateLimits
  /** See `LimiterSettings`. */
  clientsAtOnce: number
  /** Who may moderate; empty: nobody. */
  operators: readonly Operator[]
  maxLagMs: number
  /** Of the whole server, at the same time; one more is closed at once. */
  maxConnections: number
  /** How long a close may take, milliseconds. */
  drainMs: number
  timeouts: Timeouts
}

/**
 * Milliseconds. A verdict may be waited for as long as `GatewaySettings.verdictWaitMs`, while
 * nothing moves on the socket: `idle` must be longer than that.
 */
export interface Timeouts {
  /** For the headers of a request to arrive. */
  headers: number
  /** For a whole request to arrive. */
  request: number
  /** For anything at all to move on a socket. */
  idle: number
  /** For the next request on a connection. */
  keepAlive: number
  /** For an answer of the market to begin: before `idle` ends the connection without one. */
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
    quote: 60,
    preflight: 60,
    import: 60,
    portableEvent: 60,
    read: 600,
  },
  clientsAtOnce: 32,
  operators: [],
  maxLagMs: 200,
  maxConnections: 10_000,
  drainMs: 10_000,
  timeouts: { headers: 10_000, request: 15_000, idle: 20_000, keepAlive: 10_000, answer: 18_000 },
}

const MAX_BODY_BYTES = 1_048_576
const MAX_REQUESTS_PER_SOCKET = 1_000

/** The whole HTTP side of a gateway, listening nowhere yet. Closing it drains it. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps)
  const known = routesOf(app)

  observeAnswers(app, deps.registry)
  noticeProxies(app, deps.registry)
  setHeaders(app)
  answerErrors(app)
  const drain = drainOnClose(app, deps.settings)
  app.decorate('drain', drain)
  guardAdmission(app, { ...deps.settings, ...deps, enabled: deps.gateway.settings.enabled })
  refuseStrays(app)
  readJsonBodies(app)
  replayPosts(app, { idempotency: deps.idempotency, clock: deps.gateway.clock })
  loadRateLimits(app, deps.sharedCounts)
  describeRoutes(app)

  // Routes come in a plugin of their own, since the rate limiter is there only once it is loaded.
  app.register(async (routes) => {
    const { gateway, settings } = deps
    const { rateLimits: limits, clientsAtOnce } = settings
    const limiters = limitersOf(routes, { limits, clientsAtOnce, clock: gateway.clock })
    const stores = { views: readsOf(gateway), history: readsOf(gateway) }
    const context = { gateway, signal: drain.signal, limiters, stores }
    limitReads(routes, limiters)
    routes.addHook('onRoute', (route) => {
      route.handlerTimeout = settings.timeouts.answer
    })
    contractRoutes(routes, context)
    listingRoutes(routes, context)
    importRoutes(routes, context)
    orderRoutes(routes, context)
    purchaseRoutes(routes, context)
    ownershipRoutes(routes, context)
    adminRoutes(routes, context, deps.settings.operators)
    activityRoutes(routes, context)
    probeRoutes(routes, { drain, readiness: deps.readiness })
    serveDescription(routes)
    refuseOtherMethods(routes, new Map(known))
    showReference(routes)
  })
  // After the refusals of other methods: their scopes answer for those themselves.
  if (deps.pairing) pairingRoutes(app, deps.pairing)
  if (deps.circles) circleRoutes(app, { circles: deps.circles })
  return app
}

/** Paths whose failures have the shapes of message-errors.ts, where they are served. */
const MESSAGE_PATHS = isBelow('/pairing', '/ready', '/circles')

/** A server that is bounded in time and size, with no route. */
export function createServer({
  logger,
  settings,
  answersInMessages = MESSAGE_PATHS,
}: Pick<AppDeps, 'logger'> & {
  settings: Pick<HttpSettings, 'timeouts' | 'trustProxy' | 'maxConnections'>
  answersInMessages?: (path: string) => boolean
}): FastifyInstance {
  const { timeouts } = settings
  const app = Fastify({
    loggerInstance: logger,
    // One line an answer, written by plugins/observation.ts.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: trustOf(settings.trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.idle,
    keepAliveTimeout: timeouts.keepAlive,
    maxRequestsPerSocket: MAX_REQUESTS_PER_SOCKET,
    return503OnClosing: false,
    rewriteUrl: readableTarget(answersInMessages),
    // A path that is too long is refused by its length (plugins/admission.ts), not by its parts.
    routerOptions: { maxParamLength: 16_384 },
    http: {
      headersTimeout: timeouts.headers,
      // How often the two time-outs of arrival are looked at: Node's own 30 s would double them.
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
      maxHeaderSize: 16_384,
      // No answer depends on Host, and Node would refuse its absence without the envelope.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      setHeadersOfStray(request, reply)
      void sendRefusal(error, request, reply)
    },
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  endRefusedUploads(app)
  // An unknown Expect may be ignored (RFC 9110, 10.1.1); Node would refuse it without the envelope.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  app.server.on('connect', answerConnect)
  app.server.maxConnections = settings.maxConnections
  return app
}

/**
 * A count of proxies says nothing of who the nearest one is: it holds for peers of this network only,
 * so that nobody who comes here past the proxies is believed.
 */
function trustOf(trusted: HttpSettings['trustProxy']) {
  if (typeof trusted !== 'number') return trusted.length > 0 && [...trusted]
  return (address: string, hop: number) => (hop === 0 ? isNear(address) : hop < trusted)
}
/** Pages that are read of one store at once; more wait for a second or two, and no more than these. */
const READS_AT_ONCE = 8
const READS_WAITING = 256
const LONGEST_READ_WAIT_MS = 5_000

const readsOf = ({ clock }: Gateway): Lanes =>
  openLanes({
    rules: [READS, READS, READS],
    waitMs: LONGEST_READ_WAIT_MS,
    now: () => clock.monotonic(),
  })
const READS = { atOnce: READS_AT_ONCE, waiting: READS_WAITING }

/** Fills itself with the methods of each path as routes are added. */
function routesOf(app: FastifyInstance): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    known.set(url, methods)
  })
  return known
}
