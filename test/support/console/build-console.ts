import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { buildGuide } from '../../../guide/build.ts'
import { filesBelow, ROOT } from '../tree.ts'

export const CONSOLE_PAGES = join(ROOT, 'dist/console')
const GUIDE_PAGES = join(ROOT, 'dist/guide')
/** What the pages are built from. */
const SOURCES = ['console', 'clients/typescript/src', 'src/domain/verdict']
/** What the guide is built from besides the console's styles. */
const GUIDE_SOURCES = ['console', 'guide', 'docs', 'clients', 'demo']
const CONFIG = 'console/vite.config.ts'

/**
 * Once before the tests on servers, unless `npm run build` has built them: they serve two folders.
 */
export async function setup(): Promise<void> {
  if (isOlder(CONSOLE_PAGES, SOURCES)) {
    await build({ configFile: join(ROOT, CONFIG), logLevel: 'warn' })
  }
  if (isOlder(GUIDE_PAGES, GUIDE_SOURCES)) await buildGuide(GUIDE_PAGES)
}

function isOlder(pages: string, sources: readonly string[]): boolean {
  const index = join(pages, 'index.html')
  if (!existsSync(index)) return true
  const files = sources.flatMap((folder) => filesBelow(folder))
  const newest = Math.max(...files.map((path) => statSync(join(ROOT, path)).mtimeMs))
  return statSync(index).mtimeMs <= newest
}
