import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Devnet, openDevnet } from '../../src/devnet/devnet.ts'
import { completeAsk } from '../../src/devnet/people/trade.ts'
import { accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type Watched, watchAuthorities } from '../support/chain/watched-authorities.ts'
import { metricOf } from '../support/http/metric.ts'
import { countFresh, timeToFresh } from '../support/log/live-orders.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { fundBook, importOf, type OfferedCoin } from '../support/orders/big-book.ts'
import { systemClock } from '../support/system-clock.ts'

// What `npm run bench` shows with 100,000 orders, with fewer: nothing here may grow with the book.

const FEW = 20
const MANY = 1_000
/** Orders whose outputs are in one block. */
const A_BLOCK = 100
/** More requests than an idle service makes. */
const QUIET_A_SECOND = 15
/** Half a day's sweep falls between two watermarks of 2 s. */
const SWEEP_PACE = { dayMs: 4_000, roundMs: 300, graceMs: 500 }

const dataDir = mkdtempSync(join(tmpdir(), 'market-scale-'))
let devnet: Devnet
let watched: Watched
let market: Market

const open = () =>
  openMarket(
    {},
    {
      dataDir,
      authorities: { node: watched.node, index: watched.index, blocks: null, devnet: null },
      sweepPace: SWEEP_PACE,
      ingestPace: { quietMs: 0 },
    },
  )

beforeAll(async () => {
  devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
  watched = watchAuthorities(devnet)
  market = await open()
})
afterAll(async () => {
  await market.end()
  await devnet.close()
})

const read = async <T>(path: string): Promise<T> => (await market.get(path)).body
const total = async (query: string) => (await read<OrderPage>(`orders?${query}&limit=1`)).total

async function imported(coins: readonly OfferedCoin[]): Promise<void> {
  const before = await total('state=LIVE')
  const { log } = market.gateway
  await log.append(coins.map((coin, at) => importOf(coin, at, log.partitions)))
  const live = async () => expect(await total('state=LIVE')).toBe(before + coins.length)
  await vi.waitFor(live, { timeout: 60_000, interval: 100 })
}

/** Until the chain is followed that far: verdicts on a later block are asked for once more then. */
async function settled(): Promise<void> {
  const quiet = async () => {
    const before = watched.requests()
    await systemClock.sleep(1_000)
    expect(watched.requests() - before).toBeLessThan(QUIET_A_SECOND)
  }
  await vi.waitFor(quiet, { timeout: 30_000 })
}

/** Requests to node and index while only a block and some transactions happen. */
async function requestsWhileIdle(): Promise<number> {
  await settled()
  const before = watched.requests()
  for (let at = 0; at < 4; at += 1) {
    devnet.fund(accountOf('passer-by', 'p2wpkh').address, 5_000n, { confirm: false })
    await systemClock.sleep(1_000)
  }
  devnet.mine(1)
  await systemClock.sleep(1_000)
  return watched.requests() - before
}

const disagreements = () => metricOf(market.metricsAddress, 'market_audit_disagreements_total')

function coin(label: string, sats: bigint): WalletCoin {
  const { address, scriptHex } = accountOf(label, 'p2wpkh')
  return { outpoint: devnet.fund(address, sats), scriptHex, valueSats: sats.toString() }
}

describe('a book that grows', () => {
  test('asks node and index no more for many live orders than for few', async () => {
    await imported(fundBook(devnet, FEW))
    const withFew = await requestsWhileIdle()
    await imported(fundBook(devnet, MANY - FEW, A_BLOCK))
    const withMany = await requestsWhileIdle()
    expect(withMany - withFew).toBeLessThanOrEqual(10)
  }, 180_000)

  test('is fresh after a restart of the service, without any request', async () => {
    await market.stop()
    const sinceMs = Date.now()
    const before = watched.requests()
    market = await open()
    await timeToFresh(read, { orders: MANY, sinceMs })
    expect(watched.requests() - before).toBeLessThan(MANY / 10)
  })

  test('is fresh after a restart of the node, without any request', async () => {
    devnet.stopNode()
    await systemClock.sleep(1_000)
    const before = watched.requests()
    devnet.startNode()
    await timeToFresh(read, { orders: MANY })
    expect(watched.requests() - before).toBeLessThan(MANY / 10)
  })

  test('has only the orders above a fork verified again', async () => {
    await imported(fundBook(devnet, A_BLOCK, A_BLOCK))
    const before = watched.requests()
    const sinceMs = Date.now()
    const { disconnected } = devnet.reorg(1)
    expect(disconnected).toHaveLength(1)
    expect(await countFresh(read, 0)).toBeGreaterThanOrEqual(MANY)
    devnet.mine(1)
    await timeToFresh(read, { orders: MANY + A_BLOCK, sinceMs })
    // Their coins leave the chain and come back: each of these is asked about a few times.
    const asked = watched.requests() - before
    expect(asked).toBeGreaterThan(A_BLOCK)
    expect(asked).toBeLessThan(50 * A_BLOCK)
  })
})

describe('the audit sweep', () => {
  test('goes over the whole book and finds nothing', async () => {
    await systemClock.sleep(SWEEP_PACE.dayMs)
    expect(await disagreements()).toBe(0)
  })

  test('finds a lost spend, counts it once, and the order moves', async () => {
    const seller = accountOf('grace', 'p2wpkh')
    const psbt = seller.ask(coin('grace', 10_000n), {
      scriptHex: seller.scriptHex,
      valueSats: '30000',
    })
    const { id } = (await market.post('orders/import', { psbt })).body as OrderSummary
    const purchase = completeAsk({
      ask: psbt,
      buyer: accountOf('bob', 'p2wpkh'),
      paddings: [coin('bob', 600n), coin('bob', 600n)],
      funding: coin('bob', 100_000n),
      receiveScriptHex: seller.scriptHex,
    })
    // A verdict on a block that was not followed yet is asked for once more: not by the sweep.
    await expect
      .poll(async () => (await market.stores.views.order(id))?.order, { timeout: 20_000 })
      .toMatchObject({
        state: 'LIVE',
        pending: null,
        anchor: expect.not.objectContaining({ ahead: true }),
      })
    watched.hide(Transaction.fromHex(purchase).getId())
    devnet.submit(purchase)
    await market.orderUntil(id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    expect(await disagreements()).toBe(1)
    await systemClock.sleep(SWEEP_PACE.dayMs)
    expect(await disagreements()).toBe(1)
    expect(await countFresh(read, 0)).toBe(MANY + A_BLOCK)
  })
})
