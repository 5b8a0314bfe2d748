import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { RefusalThrottle } from '../limits/refusal-throttle.ts'
import { refuseOtherMethods } from '../plugins/errors.ts'
import { builtFolder, PAGE_POLICY, refuseUnbuilt, serveBuiltFiles } from './built-files.ts'

export interface ConsoleSettings {
  /** The folder of the built pages, which may be absent. */
  directory: string
  /** The folder of the built guide, which may be absent. */
  guide: string
  /** True: the pages offer the controls of the devnet. */
  isDevnet: boolean
}

export const CONSOLE_DIRECTORY = builtFolder('console')
export const GUIDE_DIRECTORY = builtFolder('site/guide')

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
      reply.header('content-security-policy', PAGE_POLICY)
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
