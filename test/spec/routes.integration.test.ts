import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import type { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import type { NostrEvent } from '../../src/schemas/wire/nostr.ts'
import type { Answer } from '../support/market/api-client.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { moderate } from '../support/market/moderate.ts'
import { coinOf, devnetOf } from '../support/market/trader.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import {
  imported,
  newAsk,
  OPERATOR_TOKEN,
  openSpecMarket,
  ownedAsk,
  withdrawnBySeller,
} from './book.ts'
import { type Check, integer, listOf, record, text } from './types.ts'

// Spec 4, 7 and 8: what each route answers, and each of its refusals.

const UNKNOWN = '0'.repeat(64)
const buyer = accountOf('buyer', 'p2wpkh')

let market: Market
let live: OrderSummary
let gone: OrderSummary
beforeAll(async () => {
  market = await openSpecMarket()
  live = await imported(market, { psbt: newAsk(market).psbt })
  gone = await withdrawnBySeller(market, 'zoe')
})
afterAll(() => market.end())

const purchase = () => ({
  assetReceiveAddress: accountOf('receiver', 'p2tr').address,
  paymentAddress: buyer.address,
  paddingUtxos: [0, 1].map(() => coinOf(market, buyer, 600n).outpoint),
  fundingUtxos: [coinOf(market, buyer, 100_000n).outpoint],
})
const anyEvent = (): NostrEvent => saleEvent(newAsk(market).psbt, [['n', 'regtest']])
const post = (path: string, body?: object) => market.post(path, body)
/** An empty transaction: well-formed, and not a purchase of anything. */
const FINAL_TX = `0200000001${'11'.repeat(32)}00000000025151ffffffff01e8030000000000000151${'00000000'}`

async function withdraw(): Promise<Answer> {
  const { order, address, wallet } = await ownedAsk(market, 'ada')
  const challenge = (await market.get(`orders/${order.id}/ownership-challenge`)).body
  const { message } = challenge as OwnershipChallenge
  const signature = proveOwnership(wallet, message).text
  return post(`orders/${order.id}/withdraw`, { address, signature })
}

const withdrawn: Check = (body) => {
  record('OrderSummary')(body)
  expect(body).toMatchObject({ state: 'WITHDRAWN' })
}
const fields =
  (...names: string[]): Check =>
  (body) =>
    expect(Object.keys(body as object)).toEqual(expect.arrayContaining(names))

describe('its success', () => {
  test.each<[string, () => Promise<{ status: number; body: unknown }>, number, Check]>([
    ['GET /health', () => market.get('health'), 200, record('HealthReport')],
    ['GET /protocol', () => market.get('protocol'), 200, fields('name', 'safety', 'nostr')],
    ['GET /catalog', () => market.get('catalog'), 200, listOf(record('ProtocolTemplate'))],
    ['GET /orders', () => market.get('orders'), 200, record('OrderPage')],
    ['GET /orders/{id}', () => market.get(`orders/${live.id}`), 200, record('OrderSummary')],
    [
      'GET /orders/{id}/artifact',
      () => market.get(`orders/${live.id}/artifact`),
      200,
      fields('psbt', 'verification'),
    ],
    [
      'POST /orders/{id}/revalidate',
      () => post(`orders/${live.id}/revalidate`),
      201,
      record('OrderSummary'),
    ],
    ['GET /activity', () => market.get('activity'), 200, fields('entries', 'nextCursor')],
    [
      'GET /orders/{id}/ownership-challenge',
      () => market.get(`orders/${live.id}/ownership-challenge`),
      200,
      fields('message', 'expiresAt'),
    ],
    ['POST /orders/{id}/withdraw', withdraw, 201, withdrawn],
    [
      'POST /orders/{id}/quote',
      () => post(`orders/${live.id}/quote`, purchase()),
      201,
      fields('psbt', 'totalBuyerCostSats'),
    ],
    [
      'POST /orders/{id}/preflight',
      () => post(`orders/${live.id}/preflight`, { finalTxHex: FINAL_TX }),
      201,
      fields('allowed', 'checkedAt'),
    ],
    [
      'POST /orders/import',
      () => post('orders/import', { psbt: newAsk(market).psbt }),
      201,
      record('OrderSummary'),
    ],
    [
      'POST /orders/portable-event',
      () => post('orders/portable-event', anyEvent()),
      201,
      record('OrderSummary'),
    ],
    [
      'GET /orders/{id}/nostr-envelope',
      () => market.get(`orders/${live.id}/nostr-envelope`),
      200,
      fields('kind', 'tags', 'content', 'notice'),
    ],
    [
      'POST /admin/orders/{id}/withdraw',
      async () =>
        moderate(
          market,
          (await imported(market, { psbt: newAsk(market).psbt })).id,
          {},
          OPERATOR_TOKEN,
        ),
      201,
      withdrawn,
    ],
  ])('has its status and its record [spec 4 %s]', async (_route, call, status, check) => {
    const answer = await call()
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    check(answer.body)
  })

  test('an order is read without its artifact [spec 4 GET /orders/{id}] [spec 4.2 Artifact]', async () => {
    const { psbt } = (await market.get(`orders/${live.id}/artifact`)).body as { psbt: string }
    for (const path of [`orders/${live.id}`, 'orders']) {
      expect(JSON.stringify((await market.get(path)).body)).not.toContain(psbt)
    }
  })

  test('a revalidation asks both authorities again [spec 4 POST /orders/{id}/revalidate]', async () => {
    const { id } = await imported(market, { psbt: newAsk(market).psbt })
    const revalidate = () => post(`orders/${id}/revalidate`)
    const devnet = devnetOf(market)
    devnet.stopIndex()
    expect((await revalidate()).status).toBe(503)
    devnet.startIndex()
    devnet.stopNode()
    expect((await revalidate()).status).toBe(503)
    devnet.startNode()
    const before = new Date().toISOString()
    const { status, body } = await revalidate()
    expect([status, body]).toMatchObject([201, { id, state: 'LIVE' }])
    expect((body as OrderSummary).validation.checkedAt >= before).toBe(true)
  })

  test('activity takes an order, a limit and a cursor [spec 4 GET /activity]', async () => {
    const page = async (query: string) =>
      (await market.get(`activity?orderId=${gone.id}&limit=1${query}`)).body as {
        entries: { orderId: string; observedAt: string }[]
        nextCursor: string
      }
    // The history may lag behind the views by two seconds.
    const hasMore = async () => (await page('')).nextCursor !== ''
    await expect.poll(hasMore, { timeout: 10_000 }).toBe(true)
    const first = await page('')
    const second = await page(`&cursor=${first.nextCursor}`)
    const entries = [...first.entries, ...second.entries]
    expect(entries.map(({ orderId }) => orderId)).toEqual([gone.id, gone.id])
    const times = entries.map(({ observedAt }) => observedAt)
    expect(times).toEqual([...times].sort().reverse())
  })
})

/** One envelope for all failures; the field types of spec 7. */
function refusal({ status, headers, body }: Answer, expected: number): void {
  const { statusCode, error, message, requestId, code, ...rest } = body as Record<string, unknown>
  expect([status, statusCode], JSON.stringify(body)).toEqual([expected, expected])
  integer(statusCode)
  text(error)
  listOf(text)([message].flat())
  expect([message].flat()).not.toEqual([])
  expect(requestId).toBe(headers.get('x-request-id'))
  text(code)
  expect(rest).toEqual({})
}

describe('404: no order with the given id', () => {
  test.each<[string, () => Promise<Answer>]>([
    ['GET /orders/{id}', () => market.get(`orders/${UNKNOWN}`)],
    ['GET /orders/{id}/artifact', () => market.get(`orders/${UNKNOWN}/artifact`)],
    ['POST /orders/{id}/revalidate', () => post(`orders/${UNKNOWN}/revalidate`)],
    [
      'GET /orders/{id}/ownership-challenge',
      () => market.get(`orders/${UNKNOWN}/ownership-challenge`),
    ],
    [
      'POST /orders/{id}/withdraw',
      () => post(`orders/${UNKNOWN}/withdraw`, { address: 'a', signature: 'b' }),
    ],
    ['POST /orders/{id}/quote', () => post(`orders/${UNKNOWN}/quote`, purchase())],
    [
      'POST /orders/{id}/preflight',
      () => post(`orders/${UNKNOWN}/preflight`, { finalTxHex: FINAL_TX }),
    ],
    ['GET /orders/{id}/nostr-envelope', () => market.get(`orders/${UNKNOWN}/nostr-envelope`)],
  ])('in the envelope [spec 4 %s] [spec 7 404]', async (_route, call) => {
    refusal(await call(), 404)
  })

  test('to an operator too [spec 4 POST /admin/orders/{id}/withdraw] [spec 7 404]', async () => {
    expect((await moderate(market, UNKNOWN, {}, OPERATOR_TOKEN)).status).toBe(404)
  })
})

describe('400: malformed or refused', () => {
  test.each<[string, () => Promise<Answer>]>([
    ['GET /orders', () => market.get('orders?offset=0')],
    ['GET /orders', () => market.get('orders?cursor=nonsense')],
    ['GET /orders', () => market.get('orders?state=live')],
    ['GET /orders/{id}/artifact', () => market.get(`orders/${gone.id}/artifact`)],
    [
      'POST /orders/{id}/withdraw',
      () => post(`orders/${live.id}/withdraw`, { address: 'a', signature: 'b' }),
    ],
    ['POST /orders/{id}/quote', () => post(`orders/${gone.id}/quote`, purchase())],
    [
      'POST /orders/{id}/preflight',
      () => post(`orders/${live.id}/preflight`, { finalTxHex: 'zz' }),
    ],
    ['POST /orders/import', () => post('orders/import', { psbt: 'not a PSBT' })],
    ['POST /orders/portable-event', () => post('orders/portable-event', { kind: 802 })],
  ])('in the envelope [spec 4 %s] [spec 7 400]', async (_route, call) => {
    refusal(await call(), 400)
  })
})

describe('401: the operator’s route', () => {
  test('credentials missing, or wrong [spec 4 POST /admin/orders/{id}/withdraw] [spec 7 401]', async () => {
    refusal(await post(`admin/orders/${live.id}/withdraw`, {}), 401)
    expect((await moderate(market, live.id, {}, 'x'.repeat(45))).status).toBe(401)
    expect((await market.order(live.id)).state).toBe('LIVE')
  })

  test('no other route asks for any, or minds them [spec 5 rule 2] [spec 5 rule 5]', async () => {
    for (const token of [OPERATOR_TOKEN, 'nonsense']) {
      const answer = await fetch(`${market.address}/api/market/orders/${live.id}/artifact`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).toBe(200)
    }
  })
})

describe('429: as soon as a route is asked too often', () => {
  let strict: Market
  beforeAll(async () => {
    const names = ['ARTIFACT', 'REVALIDATE', 'WITHDRAW', 'QUOTE', 'PREFLIGHT', 'IMPORT']
    const limits = [...names, 'PORTABLE_EVENT'].map((name) => [`RATE_LIMIT_${name}`, '1'])
    strict = await openMarket(Object.fromEntries(limits))
  })
  afterAll(() => strict.end())

  test.each<[string, () => Promise<Answer>]>([
    ['GET /orders/{id}/artifact', () => strict.get(`orders/${UNKNOWN}/artifact`)],
    ['POST /orders/{id}/revalidate', () => strict.post(`orders/${UNKNOWN}/revalidate`)],
    ['POST /orders/{id}/withdraw', () => strict.post(`orders/${UNKNOWN}/withdraw`, {})],
    ['POST /orders/{id}/quote', () => strict.post(`orders/${UNKNOWN}/quote`, {})],
    ['POST /orders/{id}/preflight', () => strict.post(`orders/${UNKNOWN}/preflight`, {})],
    ['POST /orders/import', () => strict.post('orders/import', {})],
    ['POST /orders/portable-event', () => strict.post('orders/portable-event', {})],
  ])('with its code [spec 4 %s] [spec 7 429] [spec 8 rule 1]', async (_route, call) => {
    expect((await call()).status).not.toBe(429)
    const answer = await call()
    refusal(answer, 429)
    expect(answer.body).toMatchObject({ code: 'MARKET_RATE_LIMITED' })
  })
})

describe('the envelope of a failure', () => {
  let answers: Answer[]
  beforeAll(async () => {
    answers = [
      await market.get('orders?offset=0'),
      await market.get('orders?state=x&limit=y'),
      await market.get(`orders/${UNKNOWN}`),
      await post(`admin/orders/${UNKNOWN}/withdraw`, {}),
      await post('orders/import', { psbt: 1, side: 2 }),
    ]
  })

  test.each<[string, (body: unknown, answer: Answer) => void]>([
    ['statusCode', (value, { status }) => expect(value).toBe(status)],
    ['error', text],
    ['message', (value) => listOf(text)([value].flat())],
    ['requestId', (value, { headers }) => expect(value).toBe(headers.get('x-request-id'))],
    ['code', text],
  ])('has its field [spec 7 ErrorResponse.%s]', (field, check) => {
    for (const answer of answers) check(answer.body[field as never], answer)
  })

  test('one problem is a string, several are an array, each with its exact reason [spec 7 ErrorResponse.message]', () => {
    const messages = answers.map(({ body }) => (body as { message: unknown }).message)
    expect(messages).toEqual([
      'offset: is not supported, page with cursor',
      [expect.stringMatching(/^state: /), expect.stringMatching(/^limit: /)],
      'there is no order with this id',
      'Authorization: must be Bearer and the token of an operator',
      ['psbt: must be a string', 'side: must be one of ASK, BID'],
    ])
  })
})

describe('paging of the order book', () => {
  const pageOf = async (query: string) => (await market.get(`orders?${query}`)).body as OrderPage

  test.each([['offset=0'], ['offset=10'], ['offset='], ['limit=5&offset=5']])(
    '%s is refused: keyset, never offset [spec 4.1 rule 1]',
    async (query) => {
      refusal(await market.get(`orders?${query}`), 400)
    },
  )

  test('an order that arrives between two pages moves neither [spec 4.1 rule 1] [spec 4.1 cursor]', async () => {
    for (let n = 0; n < 3; n += 1) await imported(market, { psbt: newAsk(market).psbt })
    const first = await pageOf('limit=2')
    const before = await pageOf('limit=200')
    await imported(market, { psbt: newAsk(market).psbt })
    const second = await pageOf(`limit=2&cursor=${first.nextCursor}`)
    const ids = [...first.orders, ...second.orders].map(({ id }) => id)
    expect(ids).toEqual(before.orders.slice(0, 4).map(({ id }) => id))
  })

  test('an incomplete cursor is refused, never the first page [spec 4.1 rule 2] [spec 4.1 cursor]', async () => {
    const { nextCursor } = await pageOf('limit=1')
    const changed = (nextCursor.startsWith('A') ? 'B' : 'A') + nextCursor.slice(1)
    for (const cursor of ['', 'x', changed, nextCursor.slice(0, -1), `${nextCursor}A`, '%00']) {
      refusal(await market.get(`orders?limit=1&cursor=${cursor}`), 400)
    }
  })

  test.each([['1'], ['200']])(
    'a limit of %s is a decimal string [spec 4.1 limit]',
    async (limit) => {
      const page = await pageOf(`limit=${limit}`)
      expect(page.limit).toBe(Number(limit))
      expect(page.orders.length).toBeLessThanOrEqual(Number(limit))
    },
  )

  test.each([['0'], ['201'], ['-1'], ['1.5'], ['0x5'], ['five']])(
    'a limit of %s is refused [spec 4.1 limit] [spec 8 rule 3]',
    async (limit) => {
      refusal(await market.get(`orders?limit=${limit}`), 400)
    },
  )
})
