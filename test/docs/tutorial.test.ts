import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { ROOT } from '../support/tree.ts'

// The commands of the tutorial, run by a shell as they are written, in a folder of their own. What differs: where the
// service listens, and that npm runs the program from its sources.

const PAGE = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8')
const [START = '', ...STEPS] = [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(
  ([, commands = '']) => commands,
)
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

test('the tutorial, command by command, ends in a settled order and a proof of its sale', async () => {
  expect(START).toBe('npm ci && npm start\n')
  const script = NPM + STEPS.join('').replaceAll(ADDRESS, market.address)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,

      ROOT,
    },
  })
  const { id } = JSON.parse(readFileSync(join(folder.path, 'order.json'), 'utf8'))
  expect((await market.get(`orders/${id}`)).body).toMatchObject({ state: 'SETTLED' })
  expect(stdout).toContain('sound: ')
})
