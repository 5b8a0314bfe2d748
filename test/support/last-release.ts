import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Program } from './bundle.ts'
import { ROOT } from './tree.ts'

/** How the script ends in a clone that neither has nor gets the commit. */
const NO_COMMIT = 3

/**
 * The program of the last release, built from its commit. Null without that commit: only a suite
 * that is run by itself goes on then, for .ci/run builds the release first and stops where it cannot.
 */
export function lastRelease(): Program | null {
  const { status, stdout } = spawnSync(join(ROOT, 'scripts/last-release'), ['install'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0 && status !== NO_COMMIT) throw new Error('the last release was not built')
  const market = stdout.trim()
  return market === '' ? null : { market }
}
