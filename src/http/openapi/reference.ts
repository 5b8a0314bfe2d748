import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onceMade } from '../../runtime/once-made.ts'
import { tagSlug } from '../../schemas/api/reference-link.ts'
import { builtFolder, PAGE_POLICY, refuseUnbuilt, serveBuiltFiles } from '../console/built-files.ts'
import { type StoredFile, sendFile, storedFile } from '../console/stored-file.ts'

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

const ofPages = { schema: { hide: true }, config: { answersUnderLoad: true, isGuide: true } }

type ReadDescription = () => Promise<StoredFile>

/** `/openapi.json`: the description of every route, which it returns for `/docs/json`. */
export function serveDescription(app: FastifyInstance): ReadDescription {
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
  description: ReadDescription,
  request: FastifyRequest,
  reply: FastifyReply,
) => sendFile(request, reply, { file: await description(), cacheControl: 'no-cache' })

interface ReferenceSettings {
  /** Where the pages are; absent: where `npm run build` puts them. */
  directory?: string | undefined
  /** Are the console and the guide beside it? */
  hasConsole: boolean
}

/**
 * `/docs`: the pages that the guide's builder made of the whole description, the style that says on them
 * what this process does not serve, and the description itself.
 */
export function showReference(
  app: FastifyInstance,
  description: ReadDescription,
  { directory = REFERENCE_DIRECTORY, hasConsole }: ReferenceSettings,
): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY)
    })
    // Made once, when all routes are there.
    let made: string | null = null
    const style = () => {
      made ??= styleOf(tagsOf(app), hasConsole)
      return made
    }
    scope.get('/docs/json', hidden, (request, reply) =>
      sendDescription(description, request, reply),
    )
    scope.get('/docs/served.css', ofPages, (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(style()),
    )
    if (!existsSync(join(directory, 'index.html'))) {
      refuseUnbuilt(scope, 'reference', ['/docs', '/docs/*'])
      return
    }
    await serveBuiltFiles(scope, {
      root: join(directory, 'assets'),
      prefix: '/docs/assets/',
      isHashed: true,
      isGuide: true,
    })
    await serveBuiltFiles(scope, {
      root: directory,
      prefix: '/docs/',
      isHashed: false,
      isGuide: true,
      except: ['assets/', MISSING_PAGE],
    })
    scope.get('/docs', { schema: { hide: true } }, async (_request, reply) =>
      reply.redirect('/docs/', 308),
    )
  })
}

/** The groups of routes that are registered here. */
const tagsOf = (app: FastifyInstance): string[] =>
  (app.swagger().tags ?? []).map(({ name }) => tagSlug(name))

/** Shows the note of each group that is not served, and hides the links to a console that is not. */
const styleOf = (tags: readonly string[], hasConsole: boolean): string =>
  `.not-served:not(${tags.map((tag) => `.of-${tag}`).join(',')}){display:block}` +
  (hasConsole ? '' : '.of-console{display:none}')
