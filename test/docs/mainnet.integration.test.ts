import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Stub } from '../../bench/rehearsal/stub.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { blocksOf, isNotRun } from '../support/docs/blocks.ts'
import { Machine } from '../support/docs/machine.ts'
import { SMALL_MAINNET } from '../support/docs/small-mainnet.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openApiClient } from '../support/market/api-client.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { freePort } from '../support/services/programs.ts'

// The commands of docs/mainnet.md, one after another as written, on a generated mainnet. The differences: files are below
// one folder, root's commands are those of test/support/docs/machine, ports and heights are those here.

const BUNDLED_WITHIN_MS = 60_000
const PAGE = 'docs/mainnet.md'
const COOKIE = '__cookie__:a-password-of-the-node'
const ADDRESS = 'http://127.0.0.1:8080'
const HEIGHT = /(?<=--from )\d+/g

const ask = makeAsk()
const outpoint = `${ask.outpoint.txid}:${ask.outpoint.vout}`

const folder = temporaryDirectory()
let bundle: Bundle
let stub: Stub
let machine: Machine
let address: string
let height: number
beforeAll(async () => {
  bundle = await bundleService()
  stub = await Stub.start({
    ...SMALL_MAINNET,
    coin: { outpoint, ...ask.prevout, inscriptionId: `${ask.outpoint.txid}i0` },
    login: COOKIE,
    configuration: `${folder.path}/etc/bitcoin/bitcoin.conf`,
  })
  const node = await stub.state()
  height = node.height
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  machine = new Machine(folder.path, {
    market: bundle.market,
    rpcUrl: node.rpcUrl,
    cookie: COOKIE,
    edits: [
      ['http://127.0.0.1:8332', node.rpcUrl],
      ['tcp://127.0.0.1:28332', node.zmqUrl],
      ['http://127.0.0.1:8081', node.indexUrl],
      ['/var/lib/market', `${folder.path}/var/lib/market\\nPORT=${port}\\nMETRICS_PORT=0`],
    ],
  })
}, BUNDLED_WITHIN_MS)
afterAll(async () => {
  await machine.end()
  await stub.end()
  bundle.drop()
  folder.drop()
})

const commands = (): string =>
  blocksOf(PAGE)
    .filter((block) => block.language === 'sh' && !isNotRun(block))
    .map(({ text }) => text)
    .join('')
    .replaceAll(ADDRESS, address)
    .replaceAll(HEIGHT, String(height - 5))

test('the page leads from nothing to a verified order, its backup and an upgrade', async () => {
  writeFileSync(machine.path('order.json'), JSON.stringify({ psbt: ask.psbt }))
  const said = await machine.run(commands())

  expect(said).toContain('"initialblockdownload":false')
  expect(said).toMatch(/^ok +index +the index is on the node's chain, 0 blocks behind$/m)
  expect(said).toContain(`pairing from height ${height - 5} to the tip of mainnet, ${height}\n`)
  expect(said).toContain('"state":"LIVE"')
  const { id } = JSON.parse(machine.read('imported.json')) as { id: string }
  expect(await openApiClient(address).order(id)).toMatchObject({ state: 'LIVE' })
}, 110_000)

test('what asks the node has a login of its own, which the node knows by its hash', () => {
  const { BITCOIN_RPC_PASSWORD: market, BITCOIN_RPC_USER: user } =
    machine.settings('etc/market.env')
  const { ORD_BITCOIN_RPC_PASSWORD: ord, ORD_BITCOIN_RPC_USERNAME: ordUser } =
    machine.settings('etc/ord.env')
  expect([user, ordUser]).toEqual(['market', 'ord'])
  for (const password of [market, ord]) expect(password).toMatch(/^[0-9a-f]{64}$/)
  const configuration = machine.read('etc/bitcoin/bitcoin.conf')
  for (const password of [market ?? '', ord ?? '']) expect(configuration).not.toContain(password)
  expect(configuration.match(/^rpcauth=.*$/gm)).toHaveLength(2)
})

test('the proxy of the page is in front of the service, at its public address', () => {
  const page = readFileSync(PAGE, 'utf8')
  const { PUBLIC_ORIGIN = '' } = machine.settings('etc/market.env')
  const { host } = new URL(PUBLIC_ORIGIN)
  const [site = ''] = new RegExp(`^${host} \\{\\n[^}]+\\}$`, 'm').exec(page) ?? []
  expect(site).toContain('@probes path /readyz /livez\n')
  expect(site).toContain(`reverse_proxy ${new URL(ADDRESS).host}\n`)
})
