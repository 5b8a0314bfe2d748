import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, ROOT } from './tree.ts'

export const CONSOLE_PAGES = join(ROOT, 'dist/console')
/** A file of each part that `npm run build` builds. */
const BUILT = ['dist/cli/main.js', 'dist/console/index.html', 'dist/site/guide/index.html']
const SOURCES = ['src', 'console', 'clients', 'guide', 'docs', 'demo', 'scripts']

/**
 * Builds before the tests on servers, unless `npm run build` has: no test may, since a build empties
 * folders that services of other tests serve.
 */
export function setup(): void {
  const newest = Math.max(...SOURCES.flatMap((folder) => filesBelow(folder)).map(changedMs))
  if (BUILT.every((path) => existsSync(join(ROOT, path)) && changedMs(path) > newest)) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
}

const changedMs = (path: string): number => statSync(join(ROOT, path)).mtimeMs
