import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from '../plugins/errors.ts'
import { noSuchRoute } from '../plugins/strays.ts'

export interface ConsoleSettings {
  /** The folder of the built pages, which may be absent. */
  directory: string
  /** True: the pages offer the controls of the devnet. */
  isDevnet: boolean
}

/** Where `npm run build` puts the pages, seen from `src` and from `dist` alike. */
export const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../../dist/console', import.meta.url))

/**
 * Scripts and styles only from here, nothing inline; requests only to this origin. Texts of strangers
 * could not become markup even by mistake: no function that parses HTML is usable (Trusted Types).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const NOT_BUILT = 'The console is not built: run "npm run build" and start again.\n'
/** Names of these files carry a hash of their content: they never change. */
const HASHED_MS = 365 * 24 * 3_600_000
const ASSETS = '/console/assets/'
const hidden = { schema: { hide: true } }

/**
 * `/` and every path of the console: one page, which reads its own address; its files, whose names
 * carry hashes; and what it must know before it asks the API.
 */
export function consoleRoutes(app: FastifyInstance, settings: ConsoleSettings): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    })
    if (existsSync(join(settings.directory, 'index.html'))) await addPages(scope, settings)
    else for (const path of PAGE_PATHS) scope.get(path, hidden, notBuilt)
    refuseOtherMethods(scope, new Map(PAGE_PATHS.map((path) => [path, READ])))
  })
}

/** The console reads the rest of its address itself. */
const PAGE_PATHS = ['/', '/console', '/console/*']
const READ: ReadonlySet<string> = new Set(['GET', 'HEAD'])

const notBuilt = async (_request: FastifyRequest, reply: FastifyReply) =>
  reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT)

async function addPages(
  scope: FastifyInstance,
  { directory, isDevnet }: ConsoleSettings,
): Promise<void> {
  await scope.register(async (files) => {
    files.addHook('onRequest', async (_request, reply) => {
      reply.header('vary', 'accept-encoding')
    })
    await files.register(fastifyStatic, {
      root: join(directory, 'assets'),
      prefix: ASSETS,
      // A route for each file that was built: no path from outside reaches the disk.
      wildcard: false,
      index: false,
      preCompressed: true,
      immutable: true,
      maxAge: HASHED_MS,
      decorateReply: false,
    })
  })
  // The files of another version are not the page.
  scope.get(`${ASSETS}*`, hidden, async (request) => {
    throw noSuchRoute(request)
  })
  const page = await readFile(join(directory, 'index.html'), 'utf8')
  for (const path of PAGE_PATHS)
    scope.get(path, hidden, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(page),
    )
  scope.get('/console/settings.json', hidden, async () => ({ isDevnet }))
}
