import { Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import type { ActivityPage, OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { toTxid } from '../support/ids.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'

// Unproved orders are kept apart from proved ones (docs/design/strangers.md#proved-and-unproved).

let market: Market
const seller = accountOf('unproved seller', 'p2tr')
const payout = (sats: number) => ({ scriptHex: seller.scriptHex, valueSats: String(sats) })

beforeAll(async () => {
  market = await openMarket({
    ...ORDERS_ONLY,
    RATE_LIMIT_WITHDRAW: '1000',
    RATE_LIMIT_QUOTE: '1000',
  })
})
afterAll(() => market.end())

const devnet = () => {
  const { devnet } = market.authorities
  if (!devnet) throw new Error('the service has a devnet')
  return devnet
}
const coinOf = (sats = 10_000): WalletCoin => ({
  ...payout(sats),
  outpoint: devnet().fund(seller.address, BigInt(sats)),
})
const imported = async (body: object): Promise<OrderSummary> => {
  const answer = await market.post('orders/import', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
/** The ask with its signature made for another payout: well-formed and useless. */
function forged(coin: WalletCoin, sats: number): string {
  const honest = Psbt.fromBase64(seller.ask(coin, payout(sats + 1)))
  const other = Psbt.fromBase64(seller.ask(coin, payout(sats)))
  const witness = honest.data.inputs[0]?.finalScriptWitness
  const input = other.data.inputs[0]
  if (!witness || !input) throw new Error('an ask has one input, and its witness')
  input.finalScriptWitness = witness
  return other.toBase64()
}
/** An ask of an output whose transaction no node has yet. */
function beforeItsOutput(owner: string) {
  const waiting = accountOf(owner, 'p2tr')
  const funding = new Psbt()
  funding.addInput(seller.input(coinOf(12_000)))
  funding.addOutput({ script: Buffer.from(waiting.scriptHex, 'hex'), value: 10_000n })
  const transaction = seller.sign(funding, [0]).extractTransaction()
  const outpoint = { txid: toTxid(transaction.getId()), vout: 0 }
  const coin = { outpoint, scriptHex: waiting.scriptHex, valueSats: '10000' }
  const ask = waiting.ask(coin, { scriptHex: waiting.scriptHex, valueSats: '42000' })
  return { ask, outpoint, broadcast: () => devnet().submit(transaction.toHex()) }
}
async function recordsOfOrders(): Promise<number> {
  const { log } = market.stores
  let count = 0
  for (const topic of [TOPICS.lifecycle, TOPICS.snapshots]) {
    for (let partition = 0; partition < log.partitions; partition += 1) {
      for await (const batch of log.stored(topic, partition, 0)) {
        count += batch.filter(({ value }) => JSON.stringify(value).includes('"orderId"')).length
      }
    }
  }
  return count
}
const page = async (query: string): Promise<OrderPage> =>
  (await market.get(`orders?${query}`)).body as OrderPage
const ids = ({ orders }: OrderPage): string[] => orders.map(({ id }) => id)

describe('an order whose owner never signed', () => {
  test('is answered, and found by its id and in its own log, and leaves no record', async () => {
    const before = await recordsOfOrders()
    const order = await imported({ psbt: forged(coinOf(), 50_000), token: 'BUY NOW' })
    expect(order.state).toBe('REJECTED')
    expect(order.validation.reasons).toEqual(['signature_invalid'])
    expect(await market.order(order.id)).toMatchObject({ id: order.id, token: 'BUY NOW' })
    const { entries } = (await market.get(`activity?orderId=${order.id}`)).body as ActivityPage
    expect(entries.map(({ fromState, toState }) => [fromState, toState])).toEqual([
      ['PENDING_NODE', 'REJECTED'],
      [null, 'PENDING_NODE'],
    ])
    expect(await recordsOfOrders()).toBe(before)
  })

  test('is in no list but by state, without words, and in the totals of these alone', async () => {
    const { id } = await imported({ psbt: forged(coinOf(), 60_000), token: 'VISIT EVIL' })
    const words = ['search=visit', 'token=VISIT%20EVIL', `search=${id}`]
    for (const query of ['', ...words, 'side=ASK', 'source=direct-import']) {
      expect(ids(await page(query)), query).not.toContain(id)
    }
    for (const query of [
      'state=REJECTED',
      'states=PENDING_NODE,REJECTED',
      'state=REJECTED&source=direct-import',
      'state=REJECTED&sort=oldest',
    ]) {
      const listed = (await page(query)).orders.find((order) => order.id === id)
      expect(listed, query).toBeDefined()
      expect(JSON.stringify(listed), query).not.toContain('EVIL')
    }
    const rejected = await page('state=REJECTED&limit=200')
    expect(rejected.total).toBe(rejected.orders.length)
    expect((await page('')).total).toBe((await page('limit=200')).orders.length)
    expect(ids(await page('state=REJECTED&orderClass=BID_FULLY_FUNDED'))).not.toContain(id)
    const all = (await market.get('activity')).body as ActivityPage
    expect(all.entries.map(({ orderId }) => orderId)).not.toContain(id)
  })

  test('is paged without gap or repetition among what is proved and refused', async () => {
    for (let n = 0; n < 5; n += 1) await imported({ psbt: forged(coinOf(), 70_000 + n) })
    const seen: string[] = []
    let cursor = ''
    do {
      const next = await page(`state=REJECTED&limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...ids(next))
      cursor = next.nextCursor
    } while (cursor !== '')
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(ids(await page('state=REJECTED&limit=200')))
    expect(seen.length).toBeGreaterThanOrEqual(5)
  })

  test('cannot be quoted, and its recheck finds the same', async () => {
    const { id } = await imported({ psbt: forged(coinOf(), 80_000) })
    const quote = await market.post(`orders/${id}/quote`, {
      assetReceiveAddress: seller.address,
      paymentAddress: seller.address,
    })
    expect(quote.status).toBe(400)
    const again = await market.post(`orders/${id}/revalidate`)
    expect(again.status, JSON.stringify(again.body)).toBe(201)
    expect(again.body).toMatchObject({ id, state: 'REJECTED' })
  })

  test('becomes the same order once its owner signs', async () => {
    const coin = coinOf()
    const { id } = await imported({ psbt: forged(coin, 90_000), sourceId: 'first' })
    const live = await imported({ psbt: seller.ask(coin, payout(90_000)), sourceId: 'second' })
    expect(live).toMatchObject({ id, state: 'LIVE' })
    expect(live.sources.map(({ sourceId }) => sourceId)).toEqual(['first', 'second'])
    expect(ids(await page('state=REJECTED'))).not.toContain(id)
  })
})

test('what the log has of an order outranks what the pool still holds of it', async () => {
  const coin = coinOf()
  const { pool } = market.gateway
  const { id } = await imported({ psbt: forged(coin, 95_000) })
  const entry = await pool.find(id, Date.now())
  if (!entry) throw new Error('unproved orders are in the pool')
  await imported({ psbt: seller.ask(coin, payout(95_000)) })
  await pool.put(entry, null, Date.now())
  expect(await market.order(id)).toMatchObject({ state: 'LIVE' })
  expect(ids(await page('state=REJECTED'))).not.toContain(id)
  const bySource = ids(await page('source=direct-import'))
  expect(bySource.filter((listed) => listed === id)).toHaveLength(1)
  await expect
    .poll(async () => (await market.get(`activity?orderId=${id}`)).body, { timeout: 15_000 })
    .toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ toState: 'LIVE' })]),
    })
})

test('what no authority can judge is answered with every reason, and not stored', async () => {
  const coin = coinOf()
  const unsigned = new Psbt()
  unsigned.addInput(seller.input(coin))
  unsigned.addOutput({ script: Buffer.from(seller.scriptHex, 'hex'), value: 9_000n })
  const order = await imported({ psbt: unsigned.toBase64() })
  expect(order.state).toBe('REJECTED')
  expect(order.validation.reasons).toContain('unsigned')
  expect((await market.get(`orders/${order.id}`)).status).toBe(404)
})

test('one that came before its output is LIVE once that exists, with its story', async () => {
  const { ask, broadcast } = beforeItsOutput('waiting')
  const { id, state } = await imported({ psbt: ask })
  expect(state).toBe('REJECTED')
  broadcast()
  await market.orderUntil(id, (order) => order.state === 'PENDING_ASSET')
  devnet().mine(1)
  await market.orderUntil(id, (order) => order.state === 'LIVE')
  // The history may lag behind the views by two seconds.
  await expect
    .poll(
      async () => {
        const { entries } = (await market.get(`activity?orderId=${id}`)).body as ActivityPage
        return entries.map(({ toState }) => toState)
      },
      { timeout: 15_000 },
    )
    .toEqual(['LIVE', 'PENDING_ASSET', 'REJECTED', 'PENDING_NODE'])
})

test('a stranger’s false claim, made before the output exists, keeps no owner out', async () => {
  const { ask, outpoint, broadcast } = beforeItsOutput('forestalled')
  const lie = { inscriptionId: `${'ab'.repeat(32)}i0`, outpoint }
  const { id } = await imported({ psbt: ask, asset: lie, sourceId: 'stranger' })
  await imported({ psbt: ask, sourceId: 'owner' })
  broadcast()
  await market.orderUntil(id, (order) => order.state === 'PENDING_ASSET')
  devnet().mine(1)
  const live = await market.orderUntil(id, (order) => order.state === 'LIVE')
  expect(live.sources.map(({ sourceId }) => sourceId)).toEqual(['stranger', 'owner'])
})

test('sixteen are kept of one output: its owner can list it all the same', async () => {
  const coin = coinOf()
  const junk = []
  for (let n = 0; n < 20; n += 1) junk.push((await imported({ psbt: forged(coin, 5_000 + n) })).id)
  const kept = await Promise.all(junk.map(async (id) => (await market.get(`orders/${id}`)).status))
  expect(kept).toEqual([404, 404, 404, 404, ...Array<number>(16).fill(200)])
  const published = await market.post('orders/publish', { psbt: seller.ask(coin, payout(33_000)) })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  expect(published.body).toMatchObject({ state: 'LIVE' })
})
