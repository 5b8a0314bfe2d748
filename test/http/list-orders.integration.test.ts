import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BLOCKED } from '../../src/domain/order/order-summary.ts'
import { addressOfScript } from '../../src/domain/script/address.ts'
import { OrderPage, type OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { listNaively } from '../support/orders/naive-listing.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { viewsOf } from '../support/orders/view-orders.ts'

const MARKETS = ['inscriptions', 'ordinals', 'brc20', 'brc-20', 'runes', 'a market of my own']
const book: OrderRecord[] = bookOf(300, 802).map((order, index) => {
  const { protocolId: _none, ...rest } = order
  const market = MARKETS[index % 8]
  return market === undefined ? rest : { ...rest, protocolId: market }
})
/** Only a query that names a state shows what is withdrawn or was refused. */
const isListed =
  ({ state, states = '' }: Record<string, string>) =>
  (order: OrderRecord): boolean =>
    order.state === state ||
    states.split(',').includes(order.state) ||
    (order.state !== 'WITHDRAWN' && order.state !== 'REJECTED')
const shown = book.filter(isListed({}))

let it: TestApp
beforeAll(async () => {
  it = await openTestApp()
  await viewsOf(it.gateway.views).put(...book)
})
afterAll(() => it.close())

async function page(query: Record<string, string>): Promise<OrderPage> {
  const response = await it.get(`/api/market/orders?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  return OrderPage.parse(response.json())
}

/** Every page of a query, followed by its cursor to the end. */
async function everything(query: Record<string, string>): Promise<OrderSummary[]> {
  const orders: OrderSummary[] = []
  let cursor = ''
  do {
    const next = await page({ limit: '200', ...query, ...(cursor && { cursor }) })
    expect(next.hasMore).toBe(next.nextCursor !== '')
    orders.push(...next.orders)
    cursor = next.nextCursor
  } while (cursor !== '')
  return orders
}

const idsOf = (orders: readonly { id: string }[]): string[] => orders.map(({ id }) => id).sort()

describe('each filter lists exactly what it says', () => {
  const some = <T>(values: readonly (T | undefined)[]): T => values.find((v) => v !== undefined)!
  const seller = some(shown.map((order) => order.sellerScriptHex))
  const asset = some(shown.map((order) => order.assets[0]))
  const { txid, vout } = asset.outpoint
  const token = some(shown.map((order) => order.token))

  const since = shown[9]!.updatedAt

  // An order without a market is listed under what was proved of it.
  const isInscription = ({ protocolId, assets }: OrderRecord) =>
    protocolId === undefined
      ? assets.length > 0
      : protocolId === 'inscriptions' || protocolId === 'ordinals'

  const isInGroup = (order: OrderRecord) =>
    isInscription(order) || /^(recursive|cursed)-inscriptions$/.test(order.protocolId ?? '')

  test.each<[string, Record<string, string>, (order: OrderRecord) => boolean]>([
    ['nothing', {}, () => true],
    ['protocol [spec 4.1 protocol]', { protocol: 'runes' }, (o) => o.protocolId === 'runes'],
    [
      'protocol, with its aliases [spec 4.1 protocol] [spec 2.2 ProtocolTemplate.aliasOf]',
      { protocol: 'inscriptions' },
      isInscription,
    ],
    [
      'an alias, as its target [spec 4.1 protocol] [spec 2.2 ProtocolTemplate.aliasOf]',
      { protocol: 'brc-20' },
      (o) => o.protocolId === 'brc20' || o.protocolId === 'brc-20',
    ],
    [
      'a protocol that no market has',
      { protocol: 'a market of my own' },
      (o) => o.protocolId === 'a market of my own',
    ],
    ['protocol, case-sensitive', { protocol: 'Runes' }, () => false],
    [
      'protocols [spec 4.1 protocols]',
      { protocols: 'runes,ordinals' },
      (o) => o.protocolId === 'runes' || isInscription(o),
    ],
    [
      'protocols with blanks around them, and many',
      { protocols: ` runes , ordinals${',x'.repeat(62)}` },
      (o) => o.protocolId === 'runes' || isInscription(o),
    ],
    [
      'group [spec 4.1 group]',
      { group: 'tokens' },
      (o) => ['brc20', 'brc-20', 'runes'].includes(o.protocolId ?? ''),
    ],
    ['a group that there is not', { group: 'nothing' }, () => false],
    [
      'group and protocol together',
      { group: 'tokens', protocol: 'runes' },
      (o) => o.protocolId === 'runes',
    ],
    ['group and protocol apart', { group: 'tokens', protocol: 'inscriptions' }, () => false],
    [
      'token, in any case [spec 4.1 token]',
      { token: token.toUpperCase() },
      (o) => o.token?.toLowerCase() === token.toLowerCase(),
    ],
    [
      'source, any of the order’s [spec 4.1 source]',
      { source: 'asset-offers' },
      (o) => o.sources.some(({ source }) => source === 'asset-offers'),
    ],
    ['a group, with orders without a market', { group: 'inscriptions' }, isInGroup],
    ['state [spec 4.1 state]', { state: 'SPENT' }, (o) => o.state === 'SPENT'],
    [
      'safety [spec 4.1 safety]',
      { safety: 'TARGETED_REVIEW' },
      (o) => o.kept.inspection.safety === 'TARGETED_REVIEW',
    ],
    [
      'orderClass [spec 4.1 orderClass]',
      { orderClass: 'BID_FULLY_FUNDED' },
      (o) => o.kept.inspection.orderClass === 'BID_FULLY_FUNDED',
    ],
    [
      'signature [spec 4.1 signature]',
      { signature: 'INVALID' },
      (o) => o.kept.inspection.signatureStatus === 'INVALID',
    ],
    ['side [spec 4.1 side]', { side: 'BID' }, (o) => o.side === 'BID'],
    ['seller, as a script [spec 4.1 seller]', { seller }, (o) => o.sellerScriptHex === seller],
    [
      'seller, as an address [spec 4.1 seller]',
      { seller: addressOfScript(seller, 'regtest') ?? '' },
      (o) => o.sellerScriptHex === seller,
    ],
    [
      'assetInscriptionId [spec 4.1 assetInscriptionId]',
      { assetInscriptionId: asset.inscriptionId },
      (o) => o.assets.some(({ inscriptionId }) => inscriptionId === asset.inscriptionId),
    ],
    [
      'assetOutpoint [spec 4.1 assetOutpoint]',
      { assetOutpoint: `${txid}:${vout}` },
      (o) => o.assets.some(({ outpoint }) => outpoint.txid === txid && outpoint.vout === vout),
    ],
    [
      'search, by the id [spec 4.1 search]',
      { search: shown[7]!.id.slice(0, 12).toUpperCase() },
      (o) => o.id === shown[7]!.id,
    ],
    ['search for nothing', { search: '' }, () => true],
    ['states', { states: 'SPENT,LIVE,SPENT' }, (o) => o.state === 'SPENT' || o.state === 'LIVE'],
    ['states with the withdrawn', { states: 'WITHDRAWN' }, (o) => o.state === 'WITHDRAWN'],
    [
      'states and state together',
      { states: 'SPENT,LIVE', state: 'LIVE' },
      (o) => o.state === 'LIVE',
    ],
    ['states and state apart', { states: 'SPENT', state: 'LIVE' }, () => false],
    [
      'a price range, both ends included',
      { priceMin: '10', priceMax: '30' },
      ({ quotedPriceSats: sats = '-1' }) => Number(sats) >= 10 && Number(sats) <= 30,
    ],
    [
      'a minimum price: unpriced orders are excluded',
      { priceMin: '0' },
      (o) => o.quotedPriceSats !== undefined,
    ],
    ['a price range upside down', { priceMin: '2', priceMax: '1' }, () => false],
    ['updatedSince', { updatedSince: since }, (o) => o.updatedAt >= since],
    [
      'updatedSince, without milliseconds',
      { updatedSince: '2026-01-20T00:00:00Z' },
      (o) => o.updatedAt >= '2026-01-20',
    ],
    ['actionability', { actionability: 'BLOCKED' }, (o) => BLOCKED.has(o.state)],
    // The book was verified long ago.
    ['actionability, of stale orders', { actionability: 'HANDOFF_READY' }, () => false],
    ['two at once', { state: 'LIVE', side: 'BID' }, (o) => o.state === 'LIVE' && o.side === 'BID'],
  ])('%s', async (_name, query, is) => {
    const expected = book.filter(isListed(query)).filter(is)
    const orders = await everything(query)
    expect(idsOf(orders)).toEqual(idsOf(expected))
    expect((await page(query)).total).toBe(expected.length)
  })

  test('the withdrawn are listed only on request [spec 4.1 includeWithdrawn]', async () => {
    const withdrawn = book.filter(({ state }) => state === 'WITHDRAWN')
    expect(withdrawn.length).toBeGreaterThan(0)
    expect(idsOf(await everything({ includeWithdrawn: 'true' }))).toEqual(idsOf(book))
    expect(idsOf(await everything({ includeWithdrawn: 'false' }))).toEqual(idsOf(shown))
  })
})

describe('paging', () => {
  const SORTS = [
    'newest',
    'oldest',
    'price_asc',
    'price_desc',
    'token_asc',
    'protocol_asc',
    'validation_newest',
  ]

  test.each(SORTS)(
    'by %s, a page of 7 at a time, meets every order once and in one order [spec 4.1 cursor] [spec 4.1 rule 3]',
    async (sort) => {
      const whole = await everything({ sort })
      const paged = await everything({ sort, limit: '7' })
      expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id))
      expect(new Set(paged.map(({ id }) => id)).size).toBe(shown.length)
    },
  )

  test.each([
    ['newest'],
    ['oldest'],
    ['price_asc'],
    ['price_desc'],
    ['token_asc'],
    ['protocol_asc'],
    ['validation_newest'],
  ] as const)(
    '%s sorts as it says, and what is equal by the id [spec 4.1 sort] [spec 4.1 rule 3]',
    async (sort) => {
      const sorted = listNaively(book, { sort, includeWithdrawn: false })
      expect((await everything({ sort })).map(({ id }) => id)).toEqual(sorted.map(({ id }) => id))
    },
  )

  test.each(['price_asc', 'price_desc'])(
    '%s puts unpriced orders last [spec 4.1 rule 4]',
    async (sort) => {
      const prices = (await everything({ sort })).map((order) => order.quotedPriceSats)
      const firstWithout = prices.indexOf(undefined)
      expect(firstWithout).toBeGreaterThan(0)
      expect(prices.slice(firstWithout).every((price) => price === undefined)).toBe(true)
      const sign = sort === 'price_asc' ? 1 : -1
      const priced = prices.slice(0, firstWithout).map(Number)
      expect(priced).toEqual([...priced].sort((a, b) => sign * (a - b)))
    },
  )

  test('50 orders unless said otherwise, and the last page says that it is [spec 4.1 limit] [spec 4.1 rule 5] [spec 8 rule 3]', async () => {
    const first = await page({})
    expect(first).toMatchObject({ limit: 50, hasMore: true, total: shown.length })
    expect(first.orders).toHaveLength(50)
    const all = await page({ state: 'SETTLED', limit: '200' })
    expect(all).toMatchObject({ limit: 200, hasMore: false, nextCursor: '' })
  })

  test('Link names the next page, and the last has none', async () => {
    const response = await it.get('/api/market/orders?limit=200&sort=oldest')
    const next = /^<([^>]+)>; rel="next"$/.exec(String(response.headers.link))?.[1]
    const second = await it.get(String(next))
    expect(second.statusCode).toBe(200)
    const ids = [...response.json().orders, ...second.json().orders].map(({ id }) => id)
    expect(new Set(ids).size).toBe(shown.length)
    expect(second.headers.link).toBeUndefined()
  })

  test('a cursor takes another limit, but no other sort and no other filter [spec 4.1 cursor]', async () => {
    const query = { sort: 'price_asc', state: 'LIVE', limit: '5' }
    const { nextCursor: cursor } = await page(query)
    expect((await page({ ...query, limit: '6', cursor })).orders).toHaveLength(6)
    for (const change of [
      { sort: 'price_desc' },
      { state: 'SPENT' },
      { side: 'ASK' },
      { includeWithdrawn: 'true' },
    ]) {
      const other = new URLSearchParams({ ...query, ...change, cursor })
      const response = await it.get(`/api/market/orders?${other}`)
      expect(response.json()).toMatchObject({
        statusCode: 400,
        code: 'INVALID_CURSOR',
        message: 'cursor: belongs to another sort or other filters',
      })
    }
  })

  test.each([
    ['states=LIVE,GONE', 'states: must be states, comma separated: PENDING_NODE, '],
    ['states=', 'states: must be states, comma separated'],
    ['priceMin=-1', 'priceMin: must be decimal digits'],
    ['priceMax=1.5', 'priceMax: must be decimal digits'],
    ['priceMax=2100000000000001', 'priceMax: must not exceed'],
    ['updatedSince=yesterday', 'updatedSince: '],
    ['updatedSince=2026-02-30T00:00:00Z', 'updatedSince: '],
    ['updatedSince=2026-01-20T00:00:00%2B01:00', 'updatedSince: '],
    ['actionability=ready', 'actionability: '],
  ])('%s is refused', async (query, message) => {
    for (const path of ['orders', 'orders/facets']) {
      const response = await it.get(`/api/market/${path}?${query}`)
      expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
      expect(response.body).toContain(message)
    }
  })

  test('more than 64 protocols are refused before any is looked up', async () => {
    const protocols = Array.from({ length: 65 }, (_, n) => `m${n}`).join()
    const response = await it.get(`/api/market/orders?protocols=${protocols}`)
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
    expect(response.body).toContain('protocols: must name at most 64')
  })

  test('a cursor of the activity log is not valid for the order book', async () => {
    const cursor = it.gateway.cursors.encode(JSON.stringify(['activity', null]), {})
    const response = await it.get(`/api/market/orders?cursor=${cursor}`)
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'INVALID_CURSOR' })
  })
})

test('an order is listed as it is read, and its artifact is in neither [spec 4 GET /orders/{id}]', async () => {
  const [first] = (await page({ limit: '1' })).orders
  const response = await it.get(`/api/market/orders/${first!.id}`)
  expect(response.json()).toEqual(first)
  const { artifact } = book.find(({ id }) => id === first!.id)!.kept
  expect(response.body).not.toContain(artifact)
})
