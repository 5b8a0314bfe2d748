import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onceMade } from '../../runtime/once-made.ts'
import { noSuchRoute } from '../plugins/unknown-routes.ts'
import { REFERENCE_FILES, referenceFiles, referencePage } from './reference-files.ts'
import { type StoredFile, sendFile, storedFile } from './stored-file.ts'

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

const JSON_TYPE = 'application/json; charset=utf-8'
/** Links name the version of a file. */
const KEPT = 'public, max-age=31536000, immutable'
const REVALIDATED = 'no-cache'

/** Also limited on their own, besides as reads: the cheapest requests for many bytes. */
const reference = { isReference: true }
const hidden = { schema: { hide: true }, config: reference }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A file of the API's own description. */
    isReference?: boolean
  }
}

type Description = () => Promise<StoredFile>

/** `/openapi.json`: the description of every route, which it returns for the page. */
export function serveDescription(app: FastifyInstance): Description {
  let text: Buffer | null = null
  // About 830 kB, constant: serialised once, before any client waits for an answer.
  const serialised = () => {
    text ??= Buffer.from(JSON.stringify(app.swagger()))
    return text
  }
  app.addHook('onListen', async () => void serialised())
  const description = onceMade(() => storedFile(JSON_TYPE, serialised()))
  app.get('/openapi.json', { config: reference }, (request, reply) =>
    sendDescription(description, request, reply),
  )
  return description
}

const sendDescription = async (
  description: Description,
  request: FastifyRequest,
  reply: FastifyReply,
) => sendFile(request, reply, { file: await description(), cacheControl: REVALIDATED })

/** `/docs`: a page that shows the description, with a client to try it, all of it from memory. */
export function showReference(app: FastifyInstance, description: Description): void {
  app.register(async (scope) => {
    scope.addHook('onSend', (_request, reply, payload, done) => {
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
      done(null, payload)
    })
    const bases = { '/docs': 'docs', '/docs/': '.' }
    for (const [path, base] of Object.entries(bases)) {
      scope.get(path, hidden, async (_request, reply) =>
        reply.type('text/html; charset=utf-8').send(referencePage(base, await referenceFiles())),
      )
    }
    scope.get('/docs/json', hidden, (request, reply) =>
      sendDescription(description, request, reply),
    )
    for (const name of REFERENCE_FILES) {
      scope.get(`/docs/static/${name}`, hidden, async (request, reply) => {
        const file = (await referenceFiles()).get(name)
        if (!file) throw noSuchRoute(request)
        return sendFile(request, reply, { file, cacheControl: KEPT })
      })
    }
  })
}
