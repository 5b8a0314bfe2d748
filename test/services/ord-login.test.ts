import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOrd } from '../../src/adapters/ord/ord.ts'
import { openRealChain, type RealChain } from '../support/chain/real-chain.ts'
import { openWallet } from '../support/chain/wallet.ts'
import { waitUntil } from '../support/services/programs.ts'

// A real ord that asks for a login.

const LOGIN = { user: 'market', password: 'pässword of: ord' }
let chain: RealChain
beforeAll(async () => {
  const { user, password } = LOGIN
  chain = await openRealChain({
    ordArgs: [`--server-username=${user}`, `--server-password=${password}`],
  })
})
afterAll(() => chain?.close())

test('is asked with the login, in single requests and in batches', async () => {
  const { outpoint } = await openWallet(chain, 1).then((wallet) => wallet.coin())
  const index = openOrd({ url: chain.ord.url, login: LOGIN })
  const { tip } = await chain.node.chain()
  await waitUntil('it is there', async () => (await index.status()).tip?.height === tip.height)
  expect(await index.output(outpoint)).toMatchObject({ indexed: true, spent: false })
  expect(await index.contents([outpoint, outpoint])).toHaveLength(2)
  await index.close()
})

test.each([
  ['without a login', undefined],
  ['with another', { ...LOGIN, password: 'another' }],
])('%s it is unreachable, and says what to set', async (_, login) => {
  const index = openOrd({ url: chain.ord.url, ...(login ? { login } : {}) })
  await expect(index.status()).rejects.toMatchObject({
    name: 'IndexUnavailableError',
    reason: 'asset_index_unreachable',
    message: expect.stringMatching(/HTTP 401, set ASSET_INDEX_USER and ASSET_INDEX_PASSWORD$/),
  })
  await index.close()
})
