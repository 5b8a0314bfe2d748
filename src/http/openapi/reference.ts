import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { etagOf, matches } from '../plugins/headers.ts'

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
  let made: { body: string; etag: string } | null = null
  app.get('/openapi.json', async (request, reply) => {
    // Some 600 kB that never change: written and hashed once.
    made ??= described(JSON.stringify(app.swagger()))
    reply.headers({ etag: made.etag, 'cache-control': 'no-cache' })
    if (matches(request.headers['if-none-match'], made.etag)) return reply.code(304).send('')
    return reply.type('application/json; charset=utf-8').send(made.body)
  })
}

const described = (body: string) => ({ body, etag: etagOf(body) })

/** `/docs`: a page that shows it, and tries it out. */
export function showReference(app: FastifyInstance): void {
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Market: API reference' },
    uiConfig: { layout: 'BaseLayout', deepLinking: true, tryItOutEnabled: true },
  })
}
