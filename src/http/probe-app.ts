import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createServer, DEFAULT_HTTP_SETTINGS } from './app.ts'
import { drainOnClose } from './plugins/drain.ts'
import { answerErrors } from './plugins/errors.ts'
import { setHeaders } from './plugins/headers.ts'
import { refuseUnknownRoutes } from './plugins/unknown-routes.ts'
import { probeRoutes, type Readiness } from './routes/probes.ts'

/** The HTTP side of a role without an API: only its probes. */
export function buildProbeApp(deps: {
  logger: FastifyBaseLogger
  readiness: () => Promise<Readiness>
  drainMs: number
}): FastifyInstance {
  const app = createServer({ logger: deps.logger, settings: DEFAULT_HTTP_SETTINGS })
  setHeaders(app)
  answerErrors(app)
  const drain = drainOnClose(app, deps)
  app.decorate('drain', drain)
  refuseUnknownRoutes(app)
  probeRoutes(app, { drain, readiness: deps.readiness })
  return app
}
