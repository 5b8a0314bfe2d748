import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { accountOf } from '../../../src/devnet/people/wallet.ts'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import { claimOfImport } from '../../../src/gateway/intake/import-order.ts'
import { importCommand, nameClaim } from '../../../src/gateway/intake/submit-claim.ts'
import { auditStore } from '../../../src/operator/audit/audit-store.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import type { ActivityPage, OrderPage } from '../../../src/schemas/order.ts'
import { toTxid } from '../../support/ids.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../../support/market/market.ts'
import { devnetOf } from '../../support/market/trader.ts'

const HOUR_MS = 3_600_000
const SOON = { timeout: 20_000, interval: 50 }
const seller = accountOf('seller of before', 'p2tr')
const payout = { scriptHex: seller.scriptHex, valueSats: '50000' }
const coin = (market: Market) => ({
  scriptHex: seller.scriptHex,
  valueSats: '10000',
  outpoint: devnetOf(market).fund(seller.address, 10_000n),
})

/** The import of a missing output, as releases before the pool accepted it: into the log. */
async function takenAsBefore(market: Market, hoursAgo: number): Promise<string> {
  const { gateway, stores } = market
  const nowhere = {
    ...coin(market),
    outpoint: { txid: toTxid(`${hoursAgo + 10}`.repeat(32)), vout: 0 },
  }
  const claim = await claimOfImport(gateway, {
    psbt: seller.ask(nowhere, payout),
    token: 'OLD JUNK',
  })
  claim.saying.source.observedAt = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString()
  const named = nameClaim(gateway, claim)
  const value = importCommand(gateway, named)
  const partition = partitionOf(value.outpoint, stores.log.partitions)
  await stores.log.append([{ topic: TOPICS.inbox, partition, key: value.outpoint, value }])
  await vi.waitFor(async () => {
    const stored = await stores.views.order(named.orderId)
    expect(stored?.order).toMatchObject({ state: 'REJECTED', pending: null })
    expect(stored?.order.closedAt === null).toBe(hoursAgo < 24)
  }, SOON)
  // The last record of a topic is kept: it marks where the topic ends. Another order follows.
  let ask = coin(market)
  while (partitionOf(outpointText(ask.outpoint), stores.log.partitions) !== partition)
    ask = coin(market)
  const answer = await market.post('orders/import', { psbt: seller.ask(ask, payout) })
  expect(answer.status).toBe(201)
  return named.orderId
}

/** The tables of the stopped store that name one of these orders, except for the pool's. */
async function tracesOf(dataDir: string, ids: readonly string[]): Promise<string[]> {
  const isNamed = (entry: unknown) => ids.some((id) => JSON.stringify(entry).includes(id))
  const store = await LmdbStore.open(join(dataDir, 'store'))
  const traces: string[] = []
  const documents = ['log orders.inbox', 'log orders.lifecycle', 'log orders.snapshots']
  for (const name of [...documents, 'view documents', 'view documents, side 1'])
    for (const entry of store.documents<unknown, string>(name).getRange({}))
      if (isNamed(entry)) traces.push(name)
  const plain = ['snapshot entries', 'snapshot entries by order', 'latest orders.snapshots']
  for (const name of [...plain, 'view rows'])
    for (const entry of store.table<unknown, string>(name).getRange({}))
      if (isNamed(entry)) traces.push(name)
  await store.close()
  return traces
}

test('unproved orders leave a log from before the pool; those younger than a day move to it', async () => {
  const before = await openMarket(ORDERS_ONLY)
  const old = await takenAsBefore(before, 30)
  const young = await takenAsBefore(before, 2)
  const count = ((await before.get('orders')).body as OrderPage).total
  await vi.waitFor(async () => {
    const { entries } = (await before.get(`activity?orderId=${old}`)).body as ActivityPage
    expect(entries.length).toBeGreaterThan(0)
  }, SOON)
  await before.stop()
  expect(await tracesOf(before.dataDir, [old])).not.toEqual([])
  const keptIndex = join(before.dataDir, 'store', 'order-index')
  writeFileSync(keptIndex, 'of the rows as they were')

  const market = await openMarket(ORDERS_ONLY, { dataDir: before.dataDir })
  expect(existsSync(keptIndex)).toBe(false)
  expect((await market.get(`orders/${old}`)).status).toBe(404)
  expect(await market.order(young)).toMatchObject({ id: young, state: 'REJECTED' })
  const activity = async (id: string) =>
    ((await market.get(`activity?orderId=${id}`)).body as ActivityPage).entries
  expect(await activity(old)).toEqual([])
  expect((await activity(young)).map(({ toState }) => toState)).toEqual([
    'REJECTED',
    'PENDING_NODE',
  ])
  expect(((await market.get('orders')).body as OrderPage).total).toBe(count)
  expect(
    (await market.post('orders/import', { psbt: seller.ask(coin(market), payout) })).status,
  ).toBe(201)
  await market.stop()

  expect(await tracesOf(before.dataDir, [old, young])).toEqual([])
  const { violations } = await auditStore(before.config)
  expect(violations).toEqual([])
  const again = await openMarket(ORDERS_ONLY, { dataDir: before.dataDir })
  expect(await again.order(young)).toMatchObject({ id: young })
  await again.end()
}, 300_000)
