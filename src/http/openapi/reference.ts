import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/** Its own files, and no more: the page asks no other host for anything (test: the reference page). */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `/openapi.json`: the description of every route. */
export function serveDescription(app: FastifyInstance): void {
  app.get('/openapi.json', async () => app.swagger())
}

/** `/docs`: a page that shows it, and tries it out. */
export function showReference(app: FastifyInstance): void {
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Market: API reference' },
    uiConfig: { layout: 'BaseLayout', deepLinking: true, tryItOutEnabled: true },
  })
}
