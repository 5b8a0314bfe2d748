import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { FiatPriceSource } from '../../ports/authorities/fiat-prices.ts'
import type { RefusalThrottle } from '../limits/refusal-throttle.ts'
import { refuseOtherMethods } from '../plugins/errors.ts'
import {
  builtFolder,
  CONSOLE_POLICY,
  PAGE_POLICY,
  refuseUnbuilt,
  serveBuiltFiles,
} from './built-files.ts'
import { type LinkPreviews, previewOf, withPreview } from './link-preview.ts'
import { readPages, withAnswers } from './page-files.ts'

export interface ConsoleSettings {
  /** The folder of the built pages, which may be absent. */
  directory: string
  /** The folder of the built guide, which may be absent. */
  guide: string
  /** True: the pages offer the controls of the devnet. */
  isDevnet: boolean
  /** Where the pages link to, http(s); absent: nowhere. */
  explorerUrl?: string | undefined
  assetExplorerUrl?: string | undefined
  /** Where estimates in other money come from; absent: the pages show none. */
  fiatPrices?: FiatPriceSource | undefined
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
  previews: LinkPreviews,
  throttle: RefusalThrottle,
): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY)
    })
    if (existsSync(join(settings.directory, 'index.html')))
      await addPages(scope, settings, previews)
    else refuseUnbuilt(scope, 'console', PAGE_PATHS)
    if (existsSync(join(settings.guide, 'index.html'))) await addGuide(scope, settings.guide)
    else refuseUnbuilt(scope, 'guide', GUIDE_PATHS)
    const paths = [...PAGE_PATHS, ...GUIDE_PATHS]
    refuseOtherMethods(scope, new Map(paths.map((path) => [path, READ])), throttle)
  })
}

/** The console reads the rest of its address itself. */
const PAGE_PATHS = ['/', '/console', '/console/*']
/** Where its link is shared, the page of an order is named for it. */
const ORDER_PAGE = /^\/console\/orders\/([0-9a-f]{64})(?:$|\?)/i
const GUIDE_PATHS = ['/guide', '/guide/*']
const READ: ReadonlySet<string> = new Set(['GET', 'HEAD'])

async function addPages(
  scope: FastifyInstance,
  { directory, guide: _guide, fiatPrices, ...settings }: ConsoleSettings,
  previews: LinkPreviews,
): Promise<void> {
  await serveBuiltFiles(scope, {
    root: join(directory, 'assets'),
    prefix: ASSETS,
    isHashed: true,
  })
  const pageAt = await readPages(directory)
  for (const path of PAGE_PATHS)
    scope.get(path, inMemory, async ({ url }, reply) => {
      const page = pageAt(url.replace(/\?.*/, ''))
      const [, id] = ORDER_PAGE.exec(url) ?? []
      return reply
        .header('content-security-policy', CONSOLE_POLICY)
        .type('text/html; charset=utf-8')
        .send(id === undefined ? page : await pageOfOrder(page, id, previews))
    })
  const showsFiat = fiatPrices !== undefined
  scope.get('/console/settings.json', inMemory, async () => ({ ...settings, showsFiat }))
  // Null: none are known now, which is no failure of a page.
  scope.get('/console/prices.json', inMemory, async (_request, reply) =>
    reply.type('application/json').send(JSON.stringify((await fiatPrices?.read()) ?? null)),
  )
}

/** Named for its order where its link is shown, with the answers that it waits for. */
async function pageOfOrder(page: string, id: string, previews: LinkPreviews): Promise<string> {
  const loaded = withAnswers(page, [`/api/market/orders/${id}`, '/api/market/catalog'])
  const preview = await previewOf(previews, id.toLowerCase())
  return preview ? withPreview(loaded, preview) : loaded
}

async function addGuide(scope: FastifyInstance, directory: string): Promise<void> {
  await serveBuiltFiles(scope, {
    root: join(directory, 'assets'),
    prefix: '/guide/assets/',
    isHashed: true,
    isGuide: true,
  })
  await serveBuiltFiles(scope, {
    root: directory,
    prefix: '/guide/',
    isHashed: false,
    isGuide: true,
    except: ['assets/'],
  })
  scope.get('/guide', inMemory, async (_request, reply) => reply.redirect('/guide/', 308))
}
