import { execFile } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleService } from '../bundle.ts'
import { ROOT } from '../tree.ts'
import { blocksOf, isNotRun } from './blocks.ts'

const ADDRESS = 'http://127.0.0.1:8080'
/** A service that has no time answers 503: who types the commands would repeat them. */
const PRELUDE = `set -e
curl() {
  command curl --retry 8 "$@"
}
npm() {
  test "$1 $2 $3" = 'run market --'
  shift 3
  "$NODE" "$MARKET" "$@"
}
`

/** A folder in which the commands of pages find what `npm ci` installs. */
export const installIn = (folder: string): void =>
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

/**
 * Runs the commands of a page by a shell as they are written, and gives what they print. What
 * differs: where the service listens, and that npm runs the bundle.
 */
export async function runPage(page: string, folder: string, address: string): Promise<string> {
  const steps = blocksOf(page).filter((block) => !isNotRun(block))
  if (steps.length === 0) throw new Error(`${page} has no commands`)
  const bundle = await bundleService()
  const script = PRELUDE + steps.map(({ text }) => text).join('')
  const { stdout } = await promisify(execFile)('sh', ['-c', script.replaceAll(ADDRESS, address)], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      MARKET: bundle.market,
      PORT: new URL(address).port,
    },
  })
  return stdout
}
