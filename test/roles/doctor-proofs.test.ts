import { afterEach, expect, test } from 'vitest'
import { proofChecks } from '../../src/operator/doctor/proofs.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { recordedAnswer, requestsIn } from '../adapters/bitcoind/recorded-node.ts'
import { type HttpHandler, openHttpServer } from '../support/http/http-server.ts'

// Proofs of bundles need a method that an older whitelist lacks.

const closes: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

async function findingsAt(handler: HttpHandler) {
  const server = await openHttpServer(handler)
  closes.push(() => server.close())
  return await findings({ BITCOIN_RPC_URL: server.url })
}

const LOGIN = { BITCOIN_RPC_USER: 'user', BITCOIN_RPC_PASSWORD: 'password' }
const checksOf = (variables: Record<string, string>) =>
  proofChecks(Config.parse({ ...LOGIN, ...variables }))
const findings = async (variables: Record<string, string>) =>
  (await Promise.all(checksOf(variables).map(({ look }) => look()))).flat()

const failure = (code: number, message: string): string =>
  `{"jsonrpc":"2.0","error":{"code":${code},"message":"${message}"},"id":0}`

test('a node that looks for the transaction is well', async () => {
  const missing = failure(-5, 'Not all transactions found in specified or retrieved block')
  expect(await findingsAt(recordedAnswer({ gettxoutproof: missing }))).toEqual([
    { status: 'ok', what: 'the node gives Merkle proofs (gettxoutproof)' },
  ])
})

test('a login that may not call it is a warning that says what that costs', async () => {
  const others = recordedAnswer()
  // As Core answers a method that is not in the whitelist of the login.
  const found = await findingsAt((request) =>
    requestsIn(request.body).some(({ method }) => method === 'gettxoutproof')
      ? { status: 403, body: '' }
      : others(request),
  )
  expect(found).toEqual([
    {
      status: 'warn',
      what: 'the node answers gettxoutproof with "the node rejected the login (403)": bundles prove neither the output of their order nor its sale',
      cure: 'add gettxoutproof to rpcwhitelist of the login, or use a node that has it',
    },
  ])
})

test('a node that does not have it is the same warning', async () => {
  const found = await findingsAt(
    recordedAnswer({ gettxoutproof: failure(-32601, 'Method not found') }),
  )
  expect(found).toMatchObject([
    { status: 'warn', what: expect.stringContaining('Method not found') },
  ])
})

test('an unavailable node is reported only by its own check, and a role without bundles asks none', async () => {
  expect(await findings({ BITCOIN_RPC_URL: 'http://127.0.0.1:1' })).toEqual([])
  expect(checksOf({ BITCOIN_RPC_URL: 'http://127.0.0.1:1', ROLE: 'pairing' })).toEqual([])
})
