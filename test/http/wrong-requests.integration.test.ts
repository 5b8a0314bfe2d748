import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiIndex } from '../../src/schemas/api/protocol.ts'
import type { TestApp } from '../support/http/http.ts'
import { describedIn } from '../support/http/openapi.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

let it: TestApp
beforeAll(async () => {
  it = await openWholeApp({ http: { allowedOrigins: ['https://shop.example'] } })
})
afterAll(() => it.close())

const MARKET = '/api/market'
const ID = '0123456789abcdef'.repeat(4)

describe('a failure says where its operation is described, and which parameter is at fault', () => {
  test.each<[url: string, status: number, page: string, param: string | undefined]>([
    [`${MARKET}/orders?limit=0`, 400, '/docs/orders/#listOrders', 'limit'],
    [`${MARKET}/orders?statee=LIVE`, 400, '/docs/orders/#listOrders', 'statee'],
    [`${MARKET}/orders?offset=1`, 400, '/docs/orders/#listOrders', 'offset'],
    [`${MARKET}/orders?cursor=AAAA`, 400, '/docs/orders/#listOrders', 'cursor'],
    [`${MARKET}/orders/${ID}`, 404, '/docs/orders/#readOrder', undefined],
    [`${MARKET}/stats/candles?interval=x`, 400, '/docs/statistics/#listCandles', 'interval'],
    [`${MARKET}/admin/operations`, 401, '/docs/operator/#readOperations', undefined],
    [`${MARKET}/nothing`, 404, '/docs/', undefined],
    ['/pairing/objects/x', 400, '/docs/pairing/#readObject', 'objectKey'],
    [`/pairing/carriers/${ID}/-1`, 400, '/docs/pairing/#readCarrier', 'vout'],
    ['/pairing/objects?limit=0', 400, '/docs/pairing/#listObjects', 'limit'],
    [`/pairing/objects/${ID}`, 404, '/docs/pairing/#readObject', undefined],
    ['/circles/shards/x', 400, '/docs/circles/#readShard', 'outpoint'],
    ['/circles/nothing', 404, '/docs/', undefined],
  ])('GET %s: %d', async (url, status, page, param) => {
    const { statusCode, headers } = await it.get(url)
    expect(statusCode).toBe(status)
    expect(headers.link).toBe(`<${page}>; rel="help"`)
    expect(headers['error-param']).toBe(param)
  })

  test.each<[path: string, body: object, param: string | undefined]>([
    ['orders/import', {}, 'psbt'],
    ['orders/import', { psbt: 'x', foo: 1 }, 'foo'],
    ['orders/import', { psbt: 'x', asset: { inscriptionId: 'x' } }, 'asset.inscriptionId'],
    ['orders/import', { psbt: 'x', 'a\nb': 1 }, undefined],
    ['orders/import', [], undefined],
    ['outpoints/check', { outpoints: [] }, 'outpoints'],
  ])('POST %s %j', async (path, body, param) => {
    const { statusCode, headers } = await it.post(`${MARKET}/${path}`, body)
    expect(statusCode).toBe(400)
    expect(headers['error-param']).toBe(param)
  })

  test('a page of another origin may read both', async () => {
    const answer = await it.get(`${MARKET}/orders?limit=0`, { origin: 'https://shop.example' })
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['Link', 'Error-Param']))
  })
})

describe('hex is read in either case', () => {
  let id: string
  beforeAll(async () => {
    ;({ id } = await it.seed())
  })

  test('an order id', async () => {
    const own = await it.get(`${MARKET}/orders/${id}`)
    expect(own.statusCode).toBe(200)
    expect((await it.get(`${MARKET}/orders/${id.toUpperCase()}`)).json()).toEqual(own.json())
  })

  test.each([
    `orders?assetInscriptionId=${ID.toUpperCase()}i0`,
    `orders?assetOutpoint=${ID.toUpperCase()}:0`,
  ])('%s', async (path) => {
    expect((await it.get(`${MARKET}/${path}`)).statusCode).toBe(200)
  })

  test.each([
    // Past the filters: no history, and no such order, is part of this test.
    [`stats/inscription?inscription=${ID.toUpperCase()}i0`, 'HISTORY_UNAVAILABLE'],
    [`stats/transaction?txid=${ID.toUpperCase()}`, 'HISTORY_UNAVAILABLE'],
    [`activity/stream?orderId=${ID.toUpperCase()}`, 'ORDER_NOT_FOUND'],
  ])('%s', async (path, code) => {
    expect((await it.get(`${MARKET}/${path}`)).json()).toMatchObject({ code })
  })

  test('every parameter', async () => {
    const document: OpenAPIV3_1.Document = (await it.get('/openapi.json')).json()
    const ofIds = describedIn(document).flatMap(({ operation: { operationId, parameters = [] } }) =>
      (parameters as OpenAPIV3_1.ParameterObject[]).flatMap(({ name, schema = {} }) => {
        const { pattern = '' } = schema as OpenAPIV3_1.SchemaObject
        return pattern.includes('a-f') ? [[operationId, name, pattern.includes('A-F')]] : []
      }),
    )
    expect(ofIds.length).toBeGreaterThan(3)
    expect(ofIds.filter(([, , isEither]) => !isEither)).toEqual([])
  })
})

test.each([
  ['123', 'an order id has 64 hex digits, not 3 characters'],
  ['x'.repeat(64), 'an order id has 64 hex digits, not others'],
  [`${ID}0`, 'an order id has 64 hex digits, not 65 characters'],
])('an order id of another form is named as such: %s', async (id, why) => {
  const answer = await it.get(`${MARKET}/orders/${id}`)
  expect(answer.statusCode).toBe(404)
  expect(answer.json()).toMatchObject({
    code: 'ORDER_NOT_FOUND',
    message: `id: ${why}`,
  })
  expect(answer.headers['error-param']).toBe('id')
})

test.each([
  ['state', 'state: must be one string, given once; several go into states, comma separated'],
  [
    'protocol',
    'protocol: must be one string, given once; several go into protocols, comma separated',
  ],
  ['side', 'side: must be one string, given once'],
  ['states', 'states: must be one string, given once'],
])('%s given twice', async (name, message) => {
  const answer = await it.get(`${MARKET}/orders?${name}=LIVE&${name}=SPENT`)
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ code: 'VALIDATION_FAILED', message })
})

describe('a slash at the end of a path', () => {
  test.each<[method: 'GET' | 'HEAD' | 'POST', url: string, target: string]>([
    ['GET', `${MARKET}/`, MARKET],
    ['GET', `${MARKET}/orders/?limit=1&search=a%2F`, `${MARKET}/orders?limit=1&search=a%2F`],
    ['GET', `${MARKET}/orders/${ID}//`, `${MARKET}/orders/${ID}`],
    ['HEAD', `${MARKET}/health/`, `${MARKET}/health`],
    ['POST', `${MARKET}/orders/import/`, `${MARKET}/orders/import`],
    ['GET', `${MARKET}/nothing/`, `${MARKET}/nothing`],
  ])('%s %s: 308 to %s', async (method, url, target) => {
    const answer = await it.app.inject({ method, url })
    expect(answer.statusCode).toBe(308)
    expect(answer.headers.location).toBe(target)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toBe('')
  })

  test('is a path like any other outside of the market', async () => {
    expect((await it.get('/livez/')).statusCode).toBe(404)
    expect((await it.get('/pairing/objects/')).json().message).toBe(
      'object key must be 32-byte hex',
    )
    expect((await it.get(`${MARKET}s/`)).statusCode).toBe(404)
  })
})

test('GET /api/market lists what is there', async () => {
  const answer = await it.get(MARKET)
  expect(answer.statusCode).toBe(200)
  const { operations, openapi } = ApiIndex.parse(answer.json())
  const document = (await it.get(openapi)).json()
  const described = Object.entries<Record<string, { operationId: string }>>(document.paths)
    .filter(([path]) => path.startsWith(MARKET) && !path.startsWith(`${MARKET}/admin`))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId))
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(described.sort())
  expect(operations).toContainEqual({
    operationId: 'readOrder',
    method: 'GET',
    path: '/api/market/orders/{id}',
    summary: expect.any(String),
    docs: '/docs/orders/#readOrder',
  })
  expect((await it.get(MARKET, { 'if-none-match': String(answer.headers.etag) })).statusCode).toBe(
    304,
  )
})
