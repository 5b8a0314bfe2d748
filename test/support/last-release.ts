import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Program } from './bundle.ts'
import { ROOT } from './tree.ts'

/** The program of the last release, built from its commit; null in a clone without that commit. */
export function lastRelease(): Program | null {
  const market = execFileSync(join(ROOT, 'scripts/last-release'), ['install'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
  return market === '' ? null : { market }
}
