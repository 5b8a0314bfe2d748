import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RefusalThrottle } from '../limits/refusal-throttle.ts'
import { refuseOtherMethods } from '../plugins/errors.ts'
import { serveBuiltFiles } from './built-files.ts'

export interface ConsoleSettings {
  /** The folder of the built pages, which may be absent. */
  directory: string
  /** The folder of the built guide, which may be absent. */
  guide: string
  /** True: the pages offer the controls of the devnet. */
  isDevnet: boolean
}

/** Where `npm run build` puts a site: beside the service, when that is built too. */
const BUILT = import.meta.url.endsWith('.ts') ? '../../../dist/' : '../'
const builtFolder = (name: string): string =>
  fileURLToPath(new URL(`${BUILT}${name}`, import.meta.url))
export const CONSOLE_DIRECTORY = builtFolder('console')
export const GUIDE_DIRECTORY = builtFolder('guide')

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

const ASSETS = '/console/assets/'
const hidden = { schema: { hide: true } }
/** A browser that is refused these shows a person nothing, or the refusal as it is. */
const inMemory = { ...hidden, config: { answersUnderLoad: true } }

/**
 * `/` and every path of the console: one page, which reads its own address; its files, whose names
 * carry hashes; and what it must know before it asks the API. Beside it the guide, a page for each path.
 */
export function consoleRoutes(
  app: FastifyInstance,
  settings: ConsoleSettings,
  throttle: RefusalThrottle,
): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    })
    if (existsSync(join(settings.directory, 'index.html'))) await addPages(scope, settings)
    else refuseUnbuilt(scope, 'console', PAGE_PATHS)
    if (existsSync(join(settings.guide, 'index.html'))) await addGuide(scope, settings.guide)
    else refuseUnbuilt(scope, 'guide', GUIDE_PATHS)
    const paths = [...PAGE_PATHS, ...GUIDE_PATHS]
    refuseOtherMethods(scope, new Map(paths.map((path) => [path, READ])), throttle)
  })
}

/** The console reads the rest of its address itself. */
const PAGE_PATHS = ['/', '/console', '/console/*']
const GUIDE_PATHS = ['/guide', '/guide/*']
const READ: ReadonlySet<string> = new Set(['GET', 'HEAD'])

function refuseUnbuilt(scope: FastifyInstance, name: string, paths: readonly string[]): void {
  const answer = `The ${name} is not built: run "npm run build" and start again.\n`
  const notBuilt = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.code(404).type('text/plain; charset=utf-8').send(answer)
  for (const path of paths) scope.get(path, hidden, notBuilt)
}

async function addPages(
  scope: FastifyInstance,
  { directory, isDevnet }: ConsoleSettings,
): Promise<void> {
  await serveBuiltFiles(scope, {
    root: join(directory, 'assets'),
    prefix: ASSETS,
    isHashed: true,
  })
  const page = await readFile(join(directory, 'index.html'), 'utf8')
  for (const path of PAGE_PATHS)
    scope.get(path, inMemory, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(page),
    )
  scope.get('/console/settings.json', inMemory, async () => ({ isDevnet }))
}

async function addGuide(scope: FastifyInstance, directory: string): Promise<void> {
  await serveBuiltFiles(scope, {
    root: join(directory, 'assets'),
    prefix: '/guide/assets/',
    isHashed: true,
  })
  await serveBuiltFiles(scope, {
    root: directory,
    prefix: '/guide/',
    isHashed: false,
    except: ['assets/**'],
  })
  scope.get('/guide', inMemory, async (_request, reply) => reply.redirect('/guide/', 308))
}
