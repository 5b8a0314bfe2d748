import { afterAll, beforeAll, expect, test } from 'vitest'
import { IndexFeedRecord, TOPICS } from '../../src/schemas/log.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import { LEAST_HOLDING } from '../../src/streams/ingest/index-sample.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { txOut } from '../support/chain/wallet.ts'
import { type FaultyProxy, openFaultyProxy } from '../support/faults/faulty-proxy.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

// Only one version of ord is available: a proxy in front of it claims another, and in one test that
// it finds nothing in an output.

interface Listed {
  id: OrderId
  outpoint: string
}

let book: ServiceBook
let proxy: FaultyProxy
const orders: Listed[] = []

beforeAll(async () => {
  book = await openServiceBook({
    payments: 120,
    inFrontOf: async (ordUrl) => {
      proxy = await openFaultyProxy(ordUrl)
      return proxy.url
    },
  })
  const asks = []
  for (let n = 0; n <= LEAST_HOLDING; n += 1) {
    const seed = book.name()
    const { ids, coin } = await inscribe(
      book.chain,
      book.miner,
      txOut(walletOf('p2tr', seed).scriptHex, 10_000n),
    )
    asks.push({ ids, made: makeAsk({ seed, prevout: { ...coin.outpoint, valueSats: '10000' } }) })
    await book.chain.mine(1)
  }
  await book.chain.syncIndex()
  for (const { ids, made } of asks) {
    const asset = { inscriptionId: ids[0], outpoint: made.outpoint }
    const { id, state } = await book.imported(made.psbt, { asset })
    expect(state).toBe('LIVE')
    const { txid, vout } = made.outpoint
    orders.push({ id, outpoint: `${txid}:${vout}` })
  }
}, 240_000)
afterAll(async () => {
  await book?.close()
  await proxy?.close()
})

const isReady = ({ actionability }: OrderSummary) => actionability === 'HANDOFF_READY'

/** Kinds of what was published about the index, with the version. */
async function told(): Promise<string[]> {
  const kinds: string[] = []
  for await (const batch of book.market.stores.log.stored(TOPICS.index, 0, 0)) {
    for (const { value } of batch) {
      const { kind, at } = IndexFeedRecord.parse(value)
      kinds.push(`${kind} ${at.version.split(' ')[1]}`)
    }
  }
  return kinds
}

/** How many changes each order has had. */
const changes = () =>
  Promise.all(
    orders.map(async ({ id }) => (await book.market.stores.views.order(id))?.order.seq ?? 0),
  )

/**
 * Restarts ord; from now on its page names this version, and its answers are changed accordingly.
 */
async function serveAs(version: string, edit: (body: string) => string = (body) => body) {
  await book.chain.ord.stop()
  proxy.decide(async ({ address, headers, body }) => {
    const isPage = address.pathname === '/status' && !headers.accept?.includes('json')
    const isOutput = /^\/outputs?(\/|$)/.test(address.pathname)
    if (!isPage && !isOutput) return 'pass'
    const { accept = '' } = headers
    const answer = await fetch(address, {
      ...(body.length > 0 && { method: 'POST', body: new Uint8Array(body) }),
      headers: { accept, ...(body.length > 0 && { 'content-type': 'application/json' }) },
    })
    const text = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    return {
      status: answer.status,
      headers: { 'content-type': type },
      body: isPage ? text.replace(/(<dt>version<\/dt>\s*<dd>)[^<]+/, `$1${version}`) : edit(text),
    }
  })
  await book.chain.ord.start()
  await waitUntil(`the service has heard of ${version}`, async () =>
    (await told()).some((line) => line.endsWith(` ${version}`)),
  )
}

test('another program over the same index loses nothing', async () => {
  const before = await changes()
  await serveAs('0.30.0')
  expect((await told()).at(-1)).toBe('upgraded 0.30.0')
  for (const { id } of orders) await book.market.orderUntil(id, isReady)
  expect(await changes()).toEqual(before)
  for (const { continuousSince } of (await book.market.stores.views.freshness()).values())
    expect(continuousSince.n).toBe(0)
})

test('one that finds something else ends continuity, and what it finds as before is renewed at once', async () => {
  const before = await changes()
  const [robbed, ...others] = orders
  if (!robbed) throw new Error('no order')
  const emptied = (output: Record<string, unknown>) =>
    output['outpoint'] === robbed.outpoint ? { ...output, inscriptions: [] } : output
  await serveAs('0.31.0', (text) => {
    try {
      const body = JSON.parse(text) as Record<string, unknown> | Record<string, unknown>[]
      return JSON.stringify(Array.isArray(body) ? body.map(emptied) : emptied(body))
    } catch {
      return text
    }
  })
  expect((await told()).at(-1)).toBe('rebuilt 0.31.0')
  await book.market.orderUntil(robbed.id, ({ state }) => state === 'REJECTED')
  for (const { id } of others) await book.market.orderUntil(id, isReady)
  // Nothing is written for those that were renewed.
  expect((await changes()).slice(1)).toEqual(before.slice(1))
  const { views } = book.market.stores
  for (const { id } of others) {
    const { order, partition } = (await views.order(id)) ?? {}
    const freshness = (await views.freshness()).get(partition ?? -1)
    expect(order?.anchor?.watermark?.n).toBeLessThan(freshness?.continuousSince.n ?? 0)
  }
  expect(await book.market.stores.log.end(TOPICS.dead, 0)).toBe(0)
})
