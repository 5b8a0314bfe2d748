import { createHash } from 'node:crypto'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { type Described, describedIn } from '../support/http/openapi.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf, listInscription } from '../support/market/trader.ts'
import { makeBid } from '../support/orders/psbt-orders.ts'

const TOKEN = 'c0'.repeat(32)
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')

let market: Market
beforeAll(async () => {
  const sha256 = createHash('sha256').update(TOKEN).digest('hex')
  market = await openMarket({
    ...ORDERS_ONLY,
    OPERATOR_TOKENS: `mia:${sha256}`,
    RATE_LIMIT_OPERATOR: '1000',
  })
})
afterAll(() => market.end())

const ask = (id: string, headers: Record<string, string> = {}, of = market) =>
  fetch(`${of.address}/api/market/inscriptions/${id}/content`, { headers })
const refusal = async (id: string, of = market) => {
  const answer = await ask(id, {}, of)
  const { code, message } = (await answer.json()) as { code: string; message: string }
  return { status: answer.status, code, message, cached: answer.headers.get('cache-control') }
}
const moderate = (id: string, command: 'hide' | 'unhide') =>
  fetch(`${market.address}/api/market/admin/orders/${id}/${command}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: '{}',
  })

test('text is plain text, which runs nothing, loads nothing, and is framed by this origin alone', async () => {
  const { inscriptionId } = await listInscription(market, {
    contentType: 'application/json',
    body: '{"p":"brc-20"}',
  })
  const answer = await ask(inscriptionId)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toBe('{"p":"brc-20"}')
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-disposition': 'inline',
    'x-frame-options': 'SAMEORIGIN',
    'cache-control': 'private, max-age=600',
  })
  expect(answer.headers.has('set-cookie')).toBe(false)
})

test('an image has its bytes, and a browser that has them is sent none', async () => {
  const { inscriptionId } = await listInscription(market, { contentType: 'image/png', body: PNG })
  const answer = await ask(inscriptionId.toUpperCase().replace('I', 'i'))
  expect(answer.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG)
  const etag = answer.headers.get('etag') ?? ''
  const again = await ask(inscriptionId, { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

describe('a part of what is shown', () => {
  // Its byte n is n, after the signature of its type.
  const MP4 = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  MP4.write('ftypisom', 4, 'latin1')
  let id: string
  let etag: string
  let described: Described | undefined
  beforeAll(async () => {
    const inscribed = { contentType: 'video/mp4', body: MP4 }
    id = (await listInscription(market, inscribed)).inscriptionId
    etag = (await ask(id)).headers.get('etag') ?? ''
    const document = await (await fetch(`${market.address}/openapi.json`)).json()
    described = describedIn(document as OpenAPIV3_1.Document).find(
      ({ operation }) => operation.operationId === 'readContent',
    )
  })
  const askPart = async (headers: Record<string, string>) => {
    const answer = await ask(id, headers)
    const { status } = answer
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(described?.problemsOfHeaders(status, answer.headers)).toEqual([])
    return { status, bytes, range: answer.headers.get('content-range'), headers: answer.headers }
  }

  test('is read by players that first ask whether it has parts: Safari asks for two bytes', async () => {
    expect(await askPart({ range: 'bytes=0-1' })).toMatchObject({
      status: 206,
      bytes: MP4.subarray(0, 2),
      range: 'bytes 0-1/256',
    })
    const rest = await askPart({ range: 'bytes=2-255', 'if-range': etag })
    expect(rest).toMatchObject({ status: 206, bytes: MP4.subarray(2), range: 'bytes 2-255/256' })
    expect(Object.fromEntries(rest.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-type': 'video/mp4',
      'content-length': '254',
      'cache-control': 'private, max-age=600',
      'content-security-policy': expect.stringContaining('sandbox'),
      etag,
    })
  })

  test.each([
    ['bytes=250-', 250, 256],
    ['bytes=-6', 250, 256],
    ['bytes=-257', 0, 256],
    ['bytes=100-99999999999999999999', 100, 256],
  ])('%s', async (range, from, to) => {
    expect(await askPart({ range })).toMatchObject({
      status: 206,
      bytes: MP4.subarray(from, to),
      range: `bytes ${from}-${to - 1}/256`,
    })
  })

  test.each([
    ['malformed', { range: 'bytes=-5-9' }],
    ['backwards', { range: 'bytes=9-5' }],
    ['in another unit', { range: 'rows=0-1' }],
    ['two', { range: 'bytes=0-1,4-5' }],
    ['a thousand', { range: `bytes=${Array.from({ length: 1_000 }, () => '0-').join(',')}` }],
    ['of what has changed', { range: 'bytes=0-1', 'if-range': '"another"' }],
    ['compared weakly', { range: 'bytes=0-1', 'if-range': 'W/"another"' }],
    [
      'of a date that is not known',
      { range: 'bytes=0-1', 'if-range': 'Sat, 29 Oct 2022 19:43:31 GMT' },
    ],
  ])('a range that is %s is answered by the whole', async (_, headers) => {
    expect(await askPart(headers)).toMatchObject({ status: 200, bytes: MP4, range: null })
  })

  test.each(['bytes=256-', 'bytes=-0', `bytes=${'9'.repeat(4_000)}-`])(
    'a range beyond the end is refused with the length: %s',
    async (range) => {
      const answer = await askPart({ range })
      expect(answer).toMatchObject({ status: 416, range: 'bytes */256' })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const body = JSON.parse(answer.bytes.toString())
      expect(body).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' })
      expect(described?.problemsOfAnswer(416, body)).toEqual([])
    },
  )

  test('a browser that has all of it is sent none, whatever range it asks for', async () => {
    expect((await askPart({ range: 'bytes=256-', 'if-none-match': etag })).status).toBe(304)
  })

  test('HEAD has no parts', async () => {
    const url = `${market.address}/api/market/inscriptions/${id}/content`
    const answer = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '256'])
  })

  test('no part is read of the index again, and all count against the client', async () => {
    const asked = vi.spyOn(devnetOf(market).index, 'content')
    const parts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => askPart({ range: `bytes=${n}-` })),
    )
    expect(parts.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 206))
    expect(asked).not.toHaveBeenCalled()
    const left = parts.map(({ headers }) => headers.get('ratelimit-remaining'))
    expect(new Set(left).size).toBe(20)
    asked.mockRestore()
  })
})

test('what is not shown is refused with its type and size, and not kept by the browser', async () => {
  const html = await listInscription(market, { contentType: 'text/html', body: '<html>' })
  expect(await refusal(html.inscriptionId)).toEqual({
    status: 404,
    code: 'CONTENT_NOT_SHOWN',
    message: 'text/html, 6 bytes: this type is not shown here',
    cached: 'no-store',
  })
  const lie = await listInscription(market, { contentType: 'image/png', body: '<html>' })
  expect(await refusal(lie.inscriptionId)).toMatchObject({
    message: 'image/png, 6 bytes: its bytes are not of this type',
  })
})

test('only what an order here offers, as the index proved', async () => {
  const unlisted = devnetOf(market).inscribe(`0014${'22'.repeat(20)}`, {
    contentType: 'text/plain',
    body: Buffer.from('of another'),
    postage: 10_000n,
  })
  const { order } = await listInscription(market)
  const { psbt } = (await market.get(`orders/${order.id}/artifact`)).body
  // A claim in a wrapper of a LIVE order proves nothing.
  await market.post('orders/import', { psbt, asset: unlisted, sourceId: 'a false claim' })
  for (const id of [unlisted.inscriptionId, `${'f'.repeat(64)}i0`, 'no-id'])
    expect(await refusal(id)).toMatchObject({ status: 404, code: 'CONTENT_NOT_FOUND' })
})

test('a bid opens nothing, and closes nothing: anyone may make one for any inscription', async () => {
  const devnet = devnetOf(market)
  const bidder = walletOf('p2wpkh', 'bidder')
  const seller = walletOf('p2tr', 'seller')
  const inscribed = { contentType: 'text/plain', body: Buffer.from('bid for'), postage: 10_000n }
  const made = devnet.inscribe(seller.scriptHex, inscribed)
  const outpoint = devnet.fund(bidder.scriptHex, 100_000n)
  const { psbt } = makeBid({
    seller,
    prevout: { ...made.outpoint, valueSats: '10000' },
    funding: [{ seed: 'bidder', outpoint }],
  })
  const { body } = await market.post('orders/import', { psbt, sourceId: 'a bid' })
  const bid: OrderSummary = body
  expect(bid).toMatchObject({ side: 'BID', state: 'LIVE', assets: [made] })
  expect(await refusal(made.inscriptionId)).toMatchObject({ code: 'CONTENT_NOT_FOUND' })
  expect((await moderate(bid.id, 'hide')).status).toBe(201)
  expect(await refusal(made.inscriptionId)).toMatchObject({ code: 'CONTENT_NOT_FOUND' })
})

test('nothing of an inscription of which an operator hides an order, whatever else offers it', async () => {
  const { order, inscriptionId } = await listInscription(market, { priceSats: 51_000n })
  expect((await ask(inscriptionId)).status).toBe(200)
  expect((await moderate(order.id, 'hide')).status).toBe(201)
  expect(await refusal(inscriptionId)).toMatchObject({ status: 404, code: 'ORDER_HIDDEN' })
  expect((await moderate(order.id, 'unhide')).status).toBe(201)
  expect((await ask(inscriptionId)).status).toBe(200)
})

test('the index is asked once for all who ask at once, and not again for what is kept', async () => {
  const { inscriptionId } = await listInscription(market, { body: 'asked once' })
  const { index } = devnetOf(market)
  const asked = vi.spyOn(index, 'content')
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(inscriptionId)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  devnetOf(market).stopIndex()
  expect((await ask(inscriptionId)).status).toBe(200)
  expect(asked.mock.calls).toHaveLength(1)
  asked.mockRestore()
  devnetOf(market).startIndex()
})

test('while the index is away it says so, and shows the content afterwards', async () => {
  const { inscriptionId } = await listInscription(market, { body: 'later' })
  devnetOf(market).stopIndex()
  expect(await refusal(inscriptionId)).toMatchObject({
    status: 503,
    code: 'ASSET_INDEX_UNAVAILABLE',
  })
  devnetOf(market).startIndex()
  expect(await (await ask(inscriptionId)).text()).toBe('later')
})

test('a client has so many a minute, and where content is off there is none', async () => {
  const other = await openMarket({
    ...ORDERS_ONLY,
    RATE_LIMIT_CONTENT: '2',
    ASSET_CONTENT_URL: 'off',
  })
  try {
    const { inscriptionId } = await listInscription(other)
    for (let n = 0; n < 2; n += 1)
      expect(await refusal(inscriptionId, other)).toMatchObject({
        code: 'CONTENT_NOT_FOUND',
        message: 'this service shows no content',
      })
    expect(await refusal(inscriptionId, other)).toMatchObject({ code: 'MARKET_RATE_LIMITED' })
  } finally {
    await other.end()
  }
})
