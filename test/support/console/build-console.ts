import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { filesBelow, ROOT } from '../tree.ts'

export const CONSOLE_PAGES = join(ROOT, 'dist/console')
/** What the pages are built of. */
const SOURCES = ['console', 'clients/typescript/src', 'src/domain/verdict']
const CONFIG = 'console/vite.config.ts'

/** Once before the tests on servers, where `npm run build` has not done it: they serve one folder. */
export async function setup(): Promise<void> {
  const page = join(CONSOLE_PAGES, 'index.html')
  const newest = Math.max(
    ...SOURCES.flatMap((folder) => filesBelow(folder)).map(
      (path) => statSync(join(ROOT, path)).mtimeMs,
    ),
  )
  if (existsSync(page) && statSync(page).mtimeMs > newest) return
  await build({ configFile: join(ROOT, CONFIG), logLevel: 'warn' })
}
