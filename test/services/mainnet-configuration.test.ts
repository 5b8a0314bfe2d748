import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf } from '../support/docs/blocks.ts'
import { Machine } from '../support/docs/machine.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type Core, prepareCore } from '../support/services/core.ts'
import { programPath } from '../support/services/programs.ts'

// The files of docs/mainnet.md, read by the programs that they are for.

const folder = temporaryDirectory()
let machine: Machine
let core: Core
beforeAll(async () => {
  machine = new Machine(folder.path, { market: '', rpcUrl: '', cookie: '', edits: [] })
  const blocks = blocksOf('docs/mainnet.md').filter(({ text }) =>
    /^npm install.*\nfor user|^FILES=|^login\(\)/.test(text),
  )
  await machine.run(blocks.map(({ text }) => text).join(''))
  const args = [`-conf=${machine.path('etc/bitcoin/bitcoin.conf')}`]
  core = await prepareCore({ args, logins: [] })
  await core.start()
})
afterAll(async () => {
  await core.close()
  folder.drop()
})

async function statusOf(login: string, method: string): Promise<number> {
  const { status } = await fetch(core.url, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params: [] }),
  })
  return status
}

test('Core has the indexes of the configuration, and no wallet', async () => {
  await expect(core.rpc('getindexinfo')).resolves.toMatchObject({
    txindex: {},
    txospenderindex: {},
  })
  expect((await fetch(`${core.url}/rest/chaininfo.json`)).status).toBe(200)
})

test('Core lets the service read, and no more; the index may ask anything', async () => {
  const { BITCOIN_RPC_PASSWORD } = machine.settings('etc/market.env')
  const { ORD_BITCOIN_RPC_PASSWORD } = machine.settings('etc/ord.env')
  expect(await statusOf(`market:${BITCOIN_RPC_PASSWORD}`, 'getblockchaininfo')).toBe(200)
  expect(await statusOf(`market:${BITCOIN_RPC_PASSWORD}`, 'stop')).toBe(403)
  expect(await statusOf(`ord:${ORD_BITCOIN_RPC_PASSWORD}`, 'getindexinfo')).toBe(200)
  expect(await statusOf('market:another', 'getblockchaininfo')).toBe(401)
})

test('ord takes its settings from its file and its command line', () => {
  const [, line = ''] =
    /^ExecStart=\S+ (.*) server /m.exec(readFileSync('deploy/systemd/ord.service', 'utf8')) ?? []
  const settings = machine.settings('etc/ord.env')
  const env = { HOME: folder.path, ...settings }
  const said = execFileSync(programPath('ORD'), [...line.split(' '), 'settings'], { env })
  expect(JSON.parse(said.toString())).toMatchObject({
    bitcoin_rpc_url: 'http://127.0.0.1:8332',
    bitcoin_rpc_username: 'ord',
    bitcoin_rpc_password: settings['ORD_BITCOIN_RPC_PASSWORD'],
    chain: 'mainnet',
    commit_interval: 500,
    data_dir: '/var/lib/ord',
    index_runes: true,
  })
})
