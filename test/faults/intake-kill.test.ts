import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { KILLS } from '../support/faults/kills.ts'
import { makeAsk } from '../support/orders/devnet-asks.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openTestRelay } from '../support/services/relay.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

/** On each of two relays between two kills, and half of them on both. */
const EVENTS = 12

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, 60_000)
afterAll(() => bundle.drop())

const BEGUN = Math.floor(Date.now() / 1_000)
let sales = 0
function newEvent(psbt: string) {
  sales += 1
  // A second each: a relay returns at most a page of one second.
  const createdAt = BEGUN - 10_000 + sales
  return saleEvent(psbt, [['n', 'regtest']], { createdAt })
}

/** Asks for coins on the service's devnet: an ask for a missing coin is not an order. */
async function makeAsks(variables: Record<string, string>, count: number): Promise<string[]> {
  await using service = new ServiceProcess(bundle, ['start'], variables)
  const address = await service.ready()
  const asks: string[] = []
  while (asks.length < count) asks.push(await makeAsk(address, `sold on a relay ${asks.length}`))
  await service.end()
  return asks
}

async function ordersOf(address: string): Promise<OrderSummary[]> {
  const orders: OrderSummary[] = []
  for (let cursor = ''; ; ) {
    const query = `source=portable-nostr802&limit=200${cursor && `&cursor=${cursor}`}`
    const answer = await fetch(`${address}/api/market/orders?${query}`)
    if (answer.status === 503) {
      await delay(Number(answer.headers.get('retry-after')) * 1_000)
      continue
    }
    const page = (await answer.json()) as OrderPage
    orders.push(...page.orders)
    cursor = page.nextCursor
    if (cursor === '') return orders
  }
}

test(`${KILLS} kills while relays are read: every event is one order, and the store is intact`, async () => {
  const { path, drop } = temporaryDirectory()
  const relays = [await openTestRelay({ maxPage: 7 }), await openTestRelay()]
  const alone = { DATA_DIR: path, PORT: '0', METRICS_PORT: '0' }
  const asks = await makeAsks(alone, KILLS * 2 * EVENTS)
  const variables = { ...alone, NOSTR_RELAYS: relays.map(({ url }) => url).join() }
  const published: string[] = []
  const publish = async () => {
    const event = newEvent(asks[sales] ?? '')
    const which = sales % 4 < 2 ? relays : [relays[sales % 2]]
    for (const relay of which) await relay?.publish(event)
    published.push(event.id)
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    // While nothing follows, and while the process starts, reads and is killed.
    for (let n = 0; n < EVENTS; n += 1) await publish()
    await using service = new ServiceProcess(bundle, ['start'], variables)
    await service.ready()
    for (let n = 0; n < EVENTS; n += 1) await publish()
    await delay(Math.random() * 300)
    await service.end('SIGKILL')
  }
  await using service = new ServiceProcess(bundle, ['start'], variables)
  const address = await service.ready()
  await waitUntil('every event is an order', async () => {
    return (await ordersOf(address)).length >= published.length
  })
  // Duplicates may still arrive.
  await delay(1_000)
  const orders = await ordersOf(address)
  const told = orders.flatMap(({ sources }) => sources.map(({ eventId }) => eventId))
  expect([...told].sort()).toEqual([...published].sort())
  await service.end()
  const audit = await runMarket(bundle, ['audit'], variables)
  expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('clean')])
  for (const relay of relays) await relay.stop()
  drop()
})
