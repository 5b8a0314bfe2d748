import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Clock } from '../runtime/clock.ts'
import { answerInMessages } from './answers/message-errors.ts'
import { createServer, type HttpSettings } from './app.ts'
import { shedMessages } from './limits/admission.ts'
import { limitMessages } from './limits/message-limits.ts'
import { type Limiters, limitersOf, loadRateLimits } from './limits/rate-limits.ts'
import { RefusalThrottle } from './limits/refusal-throttle.ts'
import { describeRoutes } from './openapi/document.ts'
import { serveDescription, showReference } from './openapi/reference.ts'
import { compressAnswers } from './plugins/compression.ts'
import { allowOrigins } from './plugins/cross-origin.ts'
import { drainOnClose } from './plugins/drain.ts'
import { sendRefusal } from './plugins/errors.ts'
import { setHeaders } from './plugins/headers.ts'
import { observeAnswers } from './plugins/observation.ts'
import { showOpenAnswers } from './plugins/open-answers.ts'
import { answerInOrder } from './plugins/pipelining.ts'
import { noticeProxies } from './plugins/proxies.ts'
import { boundReading } from './plugins/reading-speed.ts'
import { probeRoutes, type Readiness } from './routes/probes.ts'

export interface MessageAppDeps {
  /** Adds them at the root: see pairing/routes.ts and circles/routes.ts. */
  addRoutes: (app: FastifyInstance, limiters: Limiters) => void
  logger: FastifyBaseLogger
  registry: Registry
  /** For the process's `/readyz`; the specification's own routes have theirs. */
  readiness: () => Promise<Readiness>
  /** The mean delay of the event loop just now, milliseconds: see event-loop-lag.ts. */
  lagMs: () => number
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  settings: Pick<
    HttpSettings,
    | 'timeouts'
    | 'trustProxy'
    | 'drainMs'
    | 'maxConnections'
    | 'logClients'
    | 'maxLagMs'
    | 'rateLimits'
    | 'clientsAtOnce'
    | 'allowedOrigins'
    | 'reading'
  >
}

/**
 * The HTTP side of a process without the gateway, pairing or circles: its routes, whose failures are
 * messages, the probes of any process, and the description of both.
 */
export function buildMessageApp(deps: MessageAppDeps): FastifyInstance {
  const throttle = new RefusalThrottle(deps.clock)
  const app = createServer({ ...deps, throttle, answersInMessages: () => true })
  observeAnswers(app, deps.registry, deps.settings.logClients)
  answerInOrder(app)
  noticeProxies(app, deps.registry)
  setHeaders(app)
  compressAnswers(app)
  allowOrigins(app, deps.settings.allowedOrigins)
  answerInMessages(app)
  const drain = drainOnClose(app, deps.settings)
  app.decorate('drain', drain)
  shedMessages(app, { ...deps.settings, lagMs: deps.lagMs })
  loadRateLimits(app)
  boundReading(app, deps.registry, deps.settings.reading)
  showOpenAnswers(app, deps.registry)
  describeRoutes(app)
  app.register(async (probes) => {
    probes.setErrorHandler(sendRefusal)
    probeRoutes(probes, { drain, readiness: deps.readiness })
  })
  // In a nested plugin, since the rate limiter exists only once it is loaded.
  app.register(async (routes) => {
    const { rateLimits: limits, clientsAtOnce } = deps.settings
    const { clock } = deps
    const limiters = limitersOf(routes, { limits, clientsAtOnce, clock, throttle, keys: null })
    limitMessages(routes, limiters)
    deps.addRoutes(routes, limiters)
    const description = serveDescription(routes)
    showReference(routes, description, { hasConsole: false })
  })
  return app
}
