import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf, RUN_ON_DEVNET } from '../support/docs/blocks.ts'
import { installIn, runPage } from '../support/docs/run-page.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type Market, openMarket } from '../support/market/market.ts'

// The commands of the tutorial, then those of the pages that continue it, in a folder of their own.

const [TUTORIAL = '', ...OTHERS] = RUN_ON_DEVNET
const folder = temporaryDirectory()
let market: Market
beforeAll(async () => {
  market = await openMarket()
  installIn(folder.path)
})
afterAll(async () => {
  await market?.end()
  folder.drop()
})

const run = (page: string) => runPage(page, folder.path, market.address)

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
