import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onceMade } from '../../runtime/once-made.ts'
import { builtFolder, PAGE_POLICY, refuseUnbuilt, serveBuiltFiles } from '../console/built-files.ts'
import { type StoredFile, sendFile, storedFile } from './stored-file.ts'

/** Where `npm run build` puts the pages of the reference. */
export const REFERENCE_DIRECTORY = builtFolder('site/docs')
/** The file that a browser is shown at an address without a page (plugins/missing-page.ts). */
export const MISSING_PAGE = 'missing.html'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Also limited on its own, besides as a read: the cheapest request for many bytes. */
const reference = { isReference: true }
const hidden = { schema: { hide: true }, config: reference }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The API's own description. */
    isReference?: boolean
  }
}

type Description = () => Promise<StoredFile>

/** `/openapi.json`: the description of every route, which it returns for `/docs/json`. */
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
) => sendFile(request, reply, { file: await description(), cacheControl: 'no-cache' })

/** `/docs`: the pages that the guide's builder made of the description, and the description itself. */
export function showReference(
  app: FastifyInstance,
  description: Description,
  directory = REFERENCE_DIRECTORY,
): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY)
    })
    scope.get('/docs/json', hidden, (request, reply) =>
      sendDescription(description, request, reply),
    )
    if (!existsSync(join(directory, 'index.html'))) {
      refuseUnbuilt(scope, 'reference', ['/docs', '/docs/*'])
      return
    }
    await serveBuiltFiles(scope, {
      root: join(directory, 'assets'),
      prefix: '/docs/assets/',
      isHashed: true,
    })
    await serveBuiltFiles(scope, {
      root: directory,
      prefix: '/docs/',
      isHashed: false,
      except: ['assets/**', MISSING_PAGE],
    })
    scope.get('/docs', { schema: { hide: true } }, async (_request, reply) =>
      reply.redirect('/docs/', 308),
    )
  })
}
