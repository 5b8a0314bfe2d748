import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { crypto } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarker } from '../../src/devnet/people/object-transactions.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { openRealChain, type RealChain } from '../support/chain/real-chain.ts'
import { askFor, fundSellers } from '../support/chain/seller-coins.ts'
import { hexOf, openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { metricOf } from '../support/http/metric.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { ask } from '../support/orders/devnet-asks.ts'
import { freePort, waitUntil } from '../support/services/programs.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

// The default installation over Bitcoin Core and ord is lost with its disk; a new one begins from its
// backup. Blocks that the lost one had folded are not folded again.

const SELLERS = 2
const SINCE_BACKUP = 2
const CARRIER_SATS = 10_000n
const MEMBER_FEE_SATS = 1_000n
/** Anyone may spend it: OP_1. */
const CARRIER_SCRIPT = `0020${hexOf(crypto.sha256(Uint8Array.of(0x51)))}`

const room = temporaryDirectory()
const at = (name: string) => join(room.path, name)
let bundle: Bundle
let chain: RealChain
let wallet: Wallet

beforeAll(async () => {
  ;[bundle, chain] = await Promise.all([bundleService(), openRealChain()])
  wallet = await openWallet(chain, 4)
})
afterAll(async () => {
  await chain?.close()
  bundle?.drop()
  room.drop()
})

const variables = (dataDir: string, others: Record<string, string> = {}) => ({
  BITCOIN_NETWORK: 'regtest',
  BITCOIN_RPC_URL: chain.core.url,
  BITCOIN_RPC_COOKIE_FILE: chain.core.cookieFile,
  ASSET_INDEX_URL: chain.ord.url,
  MEMPOOL_POLL_MS: '100',
  PORT: '0',
  DATA_DIR: at(dataDir),
  ...others,
})
/** What a role is given whose brokers are away, as they may be when it starts. */
const BESIDE_KAFKA = {
  ROLE: 'pairing',
  KAFKA_BROKERS: '127.0.0.1:9',
  CURSOR_KEY: '0'.repeat(64),
}

async function market(args: string[], dataDir: string, others: Record<string, string> = {}) {
  const ran = await runMarket(bundle, args, {
    ...variables(dataDir, others),
    METRICS_PORT: '0',
  })
  expect([args, ran.code, ran.stderr]).toEqual([args, 0, ''])
}

/** A process, with its addresses. */
async function started(dataDir: string, others: Record<string, string> = {}) {
  const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) }
  const service = new ServiceProcess(bundle, ['start'], variables(dataDir, { ...others, ...ports }))
  const address = `http://127.0.0.1:${ports.PORT}`
  const metrics = `http://127.0.0.1:${ports.METRICS_PORT}`
  await service.saying(/^market (?:is ready on|runs as)/m)
  /** Blocks that it has folded, once it has the tip. */
  const folded = async (fold: 'pairing' | 'circles') => {
    const tip = Number(await chain.core.rpc('getblockcount'))
    const height = () => metricOf(metrics, `market_${fold}_height`)
    await waitUntil(`${fold} has the tip`, async () => (await height()) === tip)
    return await metricOf(metrics, `market_${fold}_blocks_total`)
  }
  const said = async (path: string) => await (await fetchUnlessShed(`${address}${path}`)).text()
  return { service, address, folded, said }
}

/** An object, and a circle of two, in the next block. */
async function makeObjectAndCircle(): Promise<void> {
  const marker = createMarker('PAIR', { vout: 0, contentHash: randomBytes(32), label: 'kept' })
  const object = wallet.pay([txOut(CARRIER_SCRIPT, CARRIER_SATS), txOut(hexOf(marker), 0n)])
  const members = [wallet.coin(), wallet.coin()]
  const shards = members.map(({ output }) =>
    txOut(wallet.scriptHex, BigInt(output.valueSats) - MEMBER_FEE_SATS),
  )
  const context = txOut(`6a254349524301${randomBytes(32).toString('hex')}`, 0n)
  const circle = wallet.sign({ inputs: members, outputs: [...shards, context] })
  await chain.mineExactly([object.toHex(), circle.toHex()])
}

const ANSWERS = ['/pairing/objects', '/pairing/checkpoints?limit=1', '/circles/snapshot']

test('book, pairing and circles of a backup are there at once', async () => {
  const sellers = await fundSellers(chain, wallet, SELLERS)
  await makeObjectAndCircle()
  const before = await started('lost')
  const ids: string[] = []
  const listed = async (address: string) => {
    const states = await Promise.all(ids.map((id) => ask(address, `orders/${id}`)))
    return states.every(({ body }) => body.state === 'LIVE')
  }
  for (const coin of sellers) {
    const { body } = await ask(before.address, 'orders/import', { psbt: askFor(coin) })
    ids.push(body.id)
  }
  await waitUntil('they are listed', () => listed(before.address))
  const blocks = await before.folded('pairing')
  expect(await before.folded('circles')).toBe(blocks)
  expect(blocks).toBeGreaterThan(100)
  await market(['backup', at('backup')], 'lost')
  await market(['backup', '--data-dir', at('backup of a role')], 'lost', BESIDE_KAFKA)
  const answers = await Promise.all(ANSWERS.map(before.said))
  expect(answers[0]).toContain('"label":"kept"')
  expect(JSON.parse(answers[2] ?? '')).toMatchObject({ revision: 1 })
  await before.service.end('SIGKILL')

  await market(['restore', at('backup')], 'fresh')
  const fresh = await started('fresh')
  try {
    expect([await fresh.folded('pairing'), await fresh.folded('circles')]).toEqual([0, 0])
    expect(await Promise.all(ANSWERS.map(fresh.said))).toEqual(answers)
    await chain.mine(SINCE_BACKUP)
    await waitUntil('they are listed', () => listed(fresh.address))
    expect(await fresh.folded('pairing')).toBe(SINCE_BACKUP)
    expect(await fresh.folded('circles')).toBe(SINCE_BACKUP)
  } finally {
    await fresh.service.end()
  }
  await market(['audit'], 'fresh')

  await market(['restore', at('backup of a role')], 'role', BESIDE_KAFKA)
  for (const role of ['pairing', 'circles'] as const) {
    const alone = await started('role', { ...BESIDE_KAFKA, ROLE: role })
    expect(await alone.folded(role)).toBe(SINCE_BACKUP)
    await alone.service.end()
  }
})
