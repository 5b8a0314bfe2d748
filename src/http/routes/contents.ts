import type { FastifyInstance } from 'fastify'
import { readContent } from '../../gateway/reading/read-content.ts'
import { CONTENT_OPERATIONS } from '../operations/contents.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'
import { viewsFor } from './queued-views.ts'
import { sendBytes } from './send-bytes.ts'

/**
 * A stranger wrote it: opened by itself it has no origin, runs nothing, and loads nothing. Only pages
 * of this origin may frame it or show it.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'",
  'content-disposition': 'inline',
  'x-frame-options': 'SAMEORIGIN',
  // An operator may hide it at any time: a browser asks again, and no cache is shared.
  'cache-control': 'private, max-age=600',
}

/** What inscriptions show. */
export function contentRoutes(app: FastifyInstance, context: RouteContext): void {
  const { gateway, signal, limiters } = context
  app.get<{ Params: { inscriptionId: string } }>(
    `${BASE}/inscriptions/:inscriptionId/content`,
    {
      onRequest: limiters.content,
      schema: CONTENT_OPERATIONS.readContent,
    },
    async (request, reply) => {
      const { inscriptionId } = request.params
      const clientSignal = requestSignal(reply, signal)
      const content = await readContent(
        gateway,
        viewsFor(context, request),
        inscriptionId,
        clientSignal,
      )
      const headers = { ...HEADERS, 'content-type': content.mediaType }
      return sendBytes(request, reply, { bytes: content.body, tag: content.tag, headers })
    },
  )
}
