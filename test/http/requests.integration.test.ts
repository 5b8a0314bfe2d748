import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp()
})
afterAll(() => it.close())

const IMPORT = '/api/market/orders/import'
const json = { 'content-type': 'application/json' }

describe('the envelope', () => {
  test.each([
    ['GET', '/nowhere', 404, 'NOT_FOUND', 'there is no GET /nowhere'],
    ['GET', '/api/marke', 404, 'NOT_FOUND', 'there is no GET /api/marke'],
    ['GET', '/api/market/orders/x', 404, 'ORDER_NOT_FOUND', undefined],
    ['GET', `/api/market/orders/${'A'.repeat(64)}`, 404, 'ORDER_NOT_FOUND', undefined],
    [
      'GET',
      `/api/market/orders/${'0'.repeat(64)}`,
      404,
      'ORDER_NOT_FOUND',
      'there is no order with this id',
    ],
    ['GET', '/api/market/orders/x/artifact', 404, 'ORDER_NOT_FOUND', undefined],
    ['GET', '/api/market/orders/x/nostr-envelope', 404, 'ORDER_NOT_FOUND', undefined],
    ['POST', '/api/market/orders/x/revalidate', 404, 'ORDER_NOT_FOUND', undefined],
    ['GET', '/api/market/orders/%zz', 404, 'NOT_FOUND', undefined],
    ['GET', '/api/market/orders/%00', 404, 'ORDER_NOT_FOUND', undefined],
    ['GET', '/api/market/orders/%2e%2e%2fhealth', 404, 'ORDER_NOT_FOUND', undefined],
    ['POST', '/api/market/orders/x/quote', 400, 'VALIDATION_FAILED', undefined],
    ['POST', '/api/market/admin/orders/x/withdraw', 401, 'UNAUTHORIZED', undefined],
    ['GET', `/${'p'.repeat(1_024)}`, 414, 'URI_TOO_LONG', undefined],
    ['GET', `/api/market/orders?search=${'s'.repeat(8_192)}`, 414, 'URI_TOO_LONG', undefined],
  ] as const)('%s %s is %d %s', async (method, url, statusCode, code, message) => {
    const response = await it.app.inject({ method, url })
    expect(response.statusCode).toBe(statusCode)
    const body = ErrorResponse.parse(response.json())
    expect(body).toMatchObject({ statusCode, code, ...(message && { message }) })
    expect(body.requestId).toBe(response.headers['x-request-id'])
  })

  test('an unknown path is shown shortened', async () => {
    const { message } = (await it.get(`/${'p'.repeat(1_000)}`)).json()
    expect(message.length).toBeLessThan(200)
  })
})

describe('405: another method on a known path, with Allow', () => {
  test.each([
    ['DELETE', '/api/market/orders/x', 'GET, HEAD'],
    ['POST', '/api/market/orders', 'GET, HEAD'],
    ['PUT', '/api/market/orders/x/artifact', 'GET, HEAD'],
    ['GET', '/api/market/orders/x/revalidate', 'POST'],
    ['GET', IMPORT, 'POST'],
    ['HEAD', IMPORT, 'POST'],
    ['OPTIONS', IMPORT, 'POST'],
    ['GET', '/api/market/orders/portable-event', 'POST'],
    ['GET', '/api/market/orders/inspect', 'POST'],
    ['TRACE', '/api/market/health', 'GET, HEAD'],
    ['PROPFIND', '/api/market/catalog', 'GET, HEAD'],
    ['POST', '/livez', 'GET, HEAD'],
  ] as const)('%s %s', async (method, url, allow) => {
    const response = await it.app.inject({ method: method as 'GET', url, payload: 'not json' })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe(allow)
    if (method !== 'HEAD') expect(response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
  })
})

describe('HEAD is GET without the body', () => {
  test.each(['/api/market/health', '/api/market/orders', '/api/market/catalog', '/livez'])(
    '%s',
    async (url) => {
      const response = await it.app.inject({ method: 'HEAD', url })
      expect(response.statusCode).toBe(200)
      expect(response.body).toBe('')
      expect(Number(response.headers['content-length'])).toBeGreaterThan(0)
    },
  )
})

test('Range is ignored: answers are whole', async () => {
  const response = await it.get('/api/market/catalog', { range: 'bytes=0-9' })
  expect(response.statusCode).toBe(200)
  expect(response.json().length).toBeGreaterThan(0)
})

describe('X-Request-Id', () => {
  test.each(['a', 'trace-1.2:3_4', 'x'.repeat(128)])('%s is kept', async (id) => {
    const response = await it.get('/api/market/orders/x', { 'x-request-id': id })
    expect(response.headers['x-request-id']).toBe(id)
    expect(response.json().requestId).toBe(id)
  })

  test.each(['', 'two words', 'x'.repeat(129), 'a,b', '<b>', 'é'])(
    '%s is replaced by one of ours',
    async (id) => {
      const response = await it.get('/api/market/orders/x', { 'x-request-id': id })
      expect(response.json().requestId).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})

describe('bodies', () => {
  const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
    it.app.inject({ method: 'POST', url: IMPORT, payload, headers })

  test.each<[string, string | Buffer, number, string, string]>([
    ['none', '', 400, 'VALIDATION_FAILED', 'body: must be an object'],
    ['null', 'null', 400, 'VALIDATION_FAILED', 'body: must be an object'],
    ['an array', '[]', 400, 'VALIDATION_FAILED', 'body: must be an object'],
    ['not JSON', '{"psbt"', 400, 'BAD_REQUEST', 'body: the text is not valid JSON'],
    [
      'no UTF-8',
      Buffer.from([0x22, 0xff, 0x22]),
      400,
      'BAD_REQUEST',
      'body: the bytes are not valid UTF-8',
    ],
    [
      'a byte order mark',
      '\uFEFF{}',
      400,
      'BAD_REQUEST',
      'body: the JSON starts with a byte order mark',
    ],
    [
      'a name twice',
      '{"psbt":"","psbt":""}',
      400,
      'BAD_REQUEST',
      'body: the name "psbt" stands twice in one object',
    ],
    [
      '__proto__',
      '{"psbt":"","__proto__":{"side":"ASK"}}',
      400,
      'BAD_REQUEST',
      'body: the name "__proto__" is not allowed',
    ],
    [
      'constructor.prototype',
      '{"constructor":{"prototype":{}}}',
      400,
      'BAD_REQUEST',
      'body: the name "constructor" is not allowed',
    ],
    [
      'a lone surrogate',
      '{"psbt":"\\ud800"}',
      400,
      'BAD_REQUEST',
      'body: the JSON holds a lone surrogate',
    ],
    [
      'depth 10,000',
      '['.repeat(10_000),
      400,
      'BAD_REQUEST',
      'body: the JSON is nested deeper than 32 levels',
    ],
    [
      '20,000 names',
      `{${Array.from({ length: 20_000 }, (_, n) => `"${n}":1`)}}`,
      400,
      'BAD_REQUEST',
      'body: the JSON holds more than 10000 values',
    ],
    [
      '1e400',
      '{"psbt":"","claimedPriceSats":1e400}',
      400,
      'BAD_REQUEST',
      'body: the JSON holds a number that cannot be kept exactly',
    ],
    [
      '256 KiB and a byte',
      `"${'a'.repeat(262_143)}"`,
      413,
      'PAYLOAD_TOO_LARGE',
      'the body is larger than 262144 bytes (of a preflight or an inspection: 1048576, of a batch: 4194304)',
    ],
  ])('%s', async (_name, payload, statusCode, code, message) => {
    const response = await post(payload)
    expect(response.json()).toMatchObject({ statusCode, code, message })
    expect(response.statusCode).toBe(statusCode)
  })

  test.each([
    'application/json garbage',
    'application/json\tgarbage',
    'application/json;',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/jsonp',
    'application/vnd.api+json',
    'text/plain',
    'text/json',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    '*/*',
    '',
  ])('content-type %j is 415', async (contentType) => {
    const response = await post('{"psbt":""}', { 'content-type': contentType })
    expect(response.statusCode).toBe(415)
    expect(response.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('content-type %j is read', async (contentType) => {
    const response = await post('{}', { 'content-type': contentType })
    expect(response.json()).toMatchObject({ message: 'psbt: is required' })
  })

  test('a body without a content-type is 415', async () => {
    const response = await post('{}', {})
    expect(response.json()).toMatchObject({ statusCode: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test.each(['gzip', 'br', 'deflate', 'identity, gzip', 'GZIP'])(
    'content-encoding %s is 415, and nothing is unpacked',
    async (encoding) => {
      const response = await post('{}', { ...json, 'content-encoding': encoding })
      expect(response.json()).toMatchObject({ statusCode: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    },
  )

  test('GET ignores a body', async () => {
    const response = await it.app.inject({ url: '/livez', method: 'GET', payload: 'x' })
    expect(response.statusCode).toBe(200)
  })
})

describe('validation names every problem at once', () => {
  const AMOUNT = 'must be decimal digits without leading zeros'

  test('of an import', async () => {
    const response = await it.post(IMPORT, {
      psbt: 7,
      source: 'somewhere',
      sourceId: 'line\nbreak',
      asset: { inscriptionId: 'x', outpoint: { txid: 'AB', vout: -1, more: 1 }, extra: true },
      claimedPriceSats: '01',
      quotedPriceSats: null,
      protocolId: 'p'.repeat(65),
      token: '\u202e',
      side: 'SELL',
      price: '1',
    })
    expect(response.json()).toMatchObject({
      statusCode: 400,
      code: 'VALIDATION_FAILED',
      message: [
        'psbt: must be a string',
        'source: must be one of portable-nostr802, asset-offers, direct-import',
        'sourceId: must be printable Unicode',
        'asset.inscriptionId: must be <txid>i<index>',
        'asset.outpoint.txid: must be 64 lowercase hex digits',
        'asset.outpoint.vout: must be at least 0',
        'asset.outpoint.more: unknown field',
        'asset.extra: unknown field',
        `claimedPriceSats: ${AMOUNT}`,
        'protocolId: must be at most 64 characters',
        'token: must be printable Unicode',
        'side: must be one of ASK, BID',
        'quotedPriceSats: must be a string or a number',
        'price: unknown field',
      ],
    })
  })

  test.each([
    ['"01"', AMOUNT],
    ['"+1"', AMOUNT],
    ['"-1"', AMOUNT],
    ['"1.0"', AMOUNT],
    ['"1,000"', AMOUNT],
    ['" 1"', AMOUNT],
    ['""', AMOUNT],
    ['"1e3"', AMOUNT],
    ['1.5', 'must be a whole number of sats'],
    ['1e21', 'must be a whole number of sats'],
    ['-1', 'must not be negative'],
    ['2100000000000001', 'must be at most 2100000000000000'],
    ['"2100000000000001"', 'must not exceed 2100000000000000 sats'],
    ['"99999999999999999999"', 'must be at most 16 characters'],
    ['true', 'must be a string or a number'],
    ['[]', 'must be a string or a number'],
  ])('an amount of %s is refused', async (amount, reason) => {
    const payload = `{"psbt":"","claimedPriceSats":${amount}}`
    const response = await it.app.inject({ method: 'POST', url: IMPORT, payload, headers: json })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: `claimedPriceSats: ${reason}`,
    })
  })

  test('hundreds of unknown fields are counted, and long names are shortened', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`${n}${'x'.repeat(300)}`, 1]),
    )
    const { message } = (await it.post(IMPORT, { psbt: '', ...fields })).json()
    expect(message).toHaveLength(21)
    expect(message.at(-1)).toBe('and 280 more problems')
    expect(Math.max(...message.map((text: string) => text.length))).toBeLessThan(100)
  })

  test('a POST without a body accepts an empty object, and names anything else', async () => {
    const url = `/api/market/orders/${'0'.repeat(64)}/revalidate`
    expect((await it.post(url)).statusCode).toBe(404)
    expect((await it.post(url, {})).statusCode).toBe(404)
    expect((await it.post(url, { force: true })).json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'force: unknown field',
    })
  })
})

describe('the query of a list', () => {
  test.each([
    ['offset=0', 'OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor'],
    ['offset=', 'OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor'],
    ['offset=1&offset=2', 'OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor'],
    ['cursor=', 'INVALID_CURSOR', 'cursor: was not issued by this service'],
    ['cursor=AAAA', 'INVALID_CURSOR', 'cursor: was not issued by this service'],
    ['cursor=a&cursor=b', 'VALIDATION_FAILED', 'cursor: must be one string, given once'],
    ['limit=0', 'VALIDATION_FAILED', 'limit: must be a decimal number from 1 to 200'],
    ['limit=201', 'VALIDATION_FAILED', 'limit: must be a decimal number from 1 to 200'],
    ['limit=050', 'VALIDATION_FAILED', 'limit: must be a decimal number from 1 to 200'],
    ['limit=1.0', 'VALIDATION_FAILED', 'limit: must be a decimal number from 1 to 200'],
    ['limit=', 'VALIDATION_FAILED', 'limit: must be a decimal number from 1 to 200'],
    ['limit=5&limit=5', 'VALIDATION_FAILED', 'limit: must be one string, given once'],
  ])('%s', async (query, code, message) => {
    for (const path of ['/api/market/orders', '/api/market/activity']) {
      const response = await it.get(`${path}?${query}`)
      expect(response.json()).toMatchObject({ statusCode: 400, code, message })
    }
  })

  test.each([
    ['state=live', 'state: must be one of PENDING_NODE, PENDING_ASSET, LIVE'],
    ['state=', 'state: must be one of'],
    ['source=nostr', 'source: must be one of portable-nostr802'],
    ['safety=SAFE', 'safety: must be one of PUBLIC_RACEABLE'],
    ['orderClass=ASK', 'orderClass: must be one of ASK_ANYONECANPAY'],
    ['signature=OK', 'signature: must be one of NONE, VALID'],
    ['side=ask', 'side: must be one of ASK, BID'],
    ['sort=price', 'sort: must be one of newest, oldest'],
    ['includeWithdrawn=1', 'includeWithdrawn: must be one of true, false'],
    ['token=', 'token: must not be empty'],
    ['seller=nobody', 'seller: must be an output script in lowercase hex or an address of regtest'],
    ['seller=1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'seller: must be an output script'],
    ['updatedSince=2026-02-30T00:00:00Z', 'updatedSince: '],
    ['assetOutpoint=x:0', 'assetOutpoint: must be <txid>:<vout>'],
    ['assetInscriptionId=x', 'assetInscriptionId: must be <txid>i<index>'],
    [`search=${'x'.repeat(129)}`, 'search: must be at most 128 characters'],
  ])('%s', async (query, message) => {
    const response = await it.get(`/api/market/orders?${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json().message).toContain(message)
  })

  test('several problems are all reported', async () => {
    const { message } = (await it.get('/api/market/orders?state=x&limit=y&sort=z')).json()
    expect(message).toHaveLength(3)
  })

  test('unknown parameters are ignored', async () => {
    const unknown = 'utm_source=x&__proto__=y&constructor=z&minPriceSats=1&sid=ASK&foo=1&_=2'
    const response = await it.get(`/api/market/orders?${unknown}`)
    expect(response.statusCode).toBe(200)
  })

  test.each([
    ['orders?protocols_=x', 'protocols_: unknown parameter, did you mean protocols?'],
    ['orders?Price-Min=1', 'Price-Min: unknown parameter, did you mean priceMin?'],
    ['orders?offsets=1', 'offsets: unknown parameter, did you mean offset?'],
    ['orders/facets?sid_e=ASK', 'sid_e: unknown parameter, did you mean side?'],
    ['activity/stream?tokn=x', 'tokn: unknown parameter, did you mean token?'],
    ['activity?order_id=x', 'order_id: unknown parameter, did you mean orderId?'],
    ['stats/sales?form=2026-01-01', 'form: unknown parameter, did you mean from?'],
    [
      'addresses/bcrt1q2nfxmhd4n3c8834pj72xagvyr9gl57n5r94fsl/orders?curser=x',
      'curser: unknown parameter, did you mean cursor?',
    ],
  ])('%s: a misspelt parameter is refused with its name', async (path, message) => {
    const response = await it.get(`/api/market/${path}`)
    expect(response.statusCode, response.body).toBe(400)
    expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED', message })
  })

  test('a misspelt parameter is looked for among the first 20 unknown names', async () => {
    const unknown = (count: number) =>
      Array.from({ length: count }, (_, n) => `other${n}`).join('&')
    const statusWith = async (query: string) =>
      (await it.get(`/api/market/orders?${query}`)).statusCode
    expect(await statusWith(`${unknown(19)}&protocols_=x`)).toBe(400)
    expect(await statusWith(`limit=1&sort=newest&${unknown(19)}&protocols_=x`)).toBe(400)
    expect(await statusWith(`${unknown(20)}&protocols_=x`)).toBe(200)
  })

  test('a misspelt parameter is reported beside other problems', async () => {
    const { message } = (await it.get('/api/market/orders?state=x&statte=LIVE')).json()
    expect(message).toHaveLength(2)
  })
})

test('a preflight takes a body of 1 MiB', async () => {
  const preflight = (bytes: number) =>
    it.app.inject({
      method: 'POST',
      url: `/api/market/orders/${'ab'.repeat(32)}/preflight`,
      headers: { 'content-type': 'application/json' },
      payload: `{"finalTxHex":"${'0'.repeat(bytes - 17)}"}`,
    })
  expect((await preflight(1_048_576)).statusCode).toBe(404)
  expect((await preflight(1_048_577)).statusCode).toBe(413)
})
