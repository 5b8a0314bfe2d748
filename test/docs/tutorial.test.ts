import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf, isNotRun, RUN_ON_DEVNET } from '../support/docs/blocks.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { ROOT } from '../support/tree.ts'

// The commands of the tutorial, then those of the pages that continue it, run by a shell as
// written, in a folder of their own. The differences: the service's address, and that npm runs the
// program from its sources.

const [TUTORIAL = '', ...OTHERS] = RUN_ON_DEVNET
const ADDRESS = 'http://127.0.0.1:8080'

const NPM = `set -e
npm() {
  test "$1 $2 $3" = 'run market --'
  shift 3
  "$NODE" --import tsx "$ROOT/src/cli/main.ts" "$@"
}
`

const folder = temporaryDirectory()
let market: Market
beforeAll(async () => {
  market = await openMarket()
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'))
})
afterAll(async () => {
  await market?.end()
  folder.drop()
})

/** Prints what the commands of a page print. */
async function run(page: string): Promise<string> {
  const steps = blocksOf(page).filter((block) => !isNotRun(block))
  expect(steps.length).toBeGreaterThan(0)
  const commands = steps.map(({ text }) => text).join('')
  const script = NPM + commands.replaceAll(ADDRESS, market.address)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      ROOT,
      PORT: new URL(market.address).port,
    },
  })
  return stdout
}

test('the tutorial, command by command, ends in a settled order and a proof of its sale', async () => {
  expect(blocksOf(TUTORIAL)[0]?.text).toBe('npm ci && npm start\n')
  const stdout = await run(TUTORIAL)
  const { id } = JSON.parse(readFileSync(join(folder.path, 'order.json'), 'utf8'))
  expect((await market.get(`orders/${id}`)).body).toMatchObject({ state: 'SETTLED' })
  expect(stdout).toContain('sound: ')
})

test.each(OTHERS)('every command of %s succeeds', async (page) => {
  await run(page)
})
