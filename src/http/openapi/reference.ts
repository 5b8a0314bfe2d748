import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { etagOf, matches } from '../plugins/headers.ts'

/** Only its own files: the page sends no request to any other host (test: the reference page). */
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
  // About 830 kB, constant: serialised and hashed once, before any client waits for an answer.
  const description = () => {
    made ??= described(JSON.stringify(app.swagger()))
    return made
  }
  app.addHook('onListen', async () => void description())
  app.get('/openapi.json', async (request, reply) => {
    const { body, etag } = description()
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send('')
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

const described = (body: string) => ({ body, etag: etagOf(body) })

/** `/docs`: a page that shows the description, with a client to try it. */
export function showReference(app: FastifyInstance): void {
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Market: API reference' },
    uiConfig: { layout: 'BaseLayout', deepLinking: true, tryItOutEnabled: true },
  })
}
