import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp, withoutPatience } from '../support/http/http.ts'

const IMPORT = '/api/market/orders/import'
const EVENT = '/api/market/orders/portable-event'
const REFUSED = { psbt: 'not a PSBT' }

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({
    http: { rateLimits: { artifact: 999, revalidate: 999, import: 999, portableEvent: 999 } },
  })
})
afterAll(() => it.close())

// Keys are a client's own: each test is another client.
let client = 0
beforeEach(() => {
  client += 1
})

const post = (
  key: string | undefined,
  body: object = REFUSED,
  url = IMPORT,
  remoteAddress = `192.0.2.${client}`,
) =>
  it.app.inject({
    method: 'POST',
    url,
    payload: body,
    remoteAddress,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

describe('a key', () => {
  test('replays the same bytes, and says so', async () => {
    const first = await post('k')
    const second = await post('k')
    expect(first.statusCode).toBe(400)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(second.rawPayload.equals(first.rawPayload)).toBe(true)
    expect(second.statusCode).toBe(first.statusCode)
    expect(second.headers['content-type']).toBe(first.headers['content-type'])
    expect(second.headers['idempotent-replayed']).toBe('true')
    // The header is this request's own; the body is the first one's.
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  })

  test('keeps what validation refused, too', async () => {
    const first = await post('k', { psbt: 1 })
    expect((await post('k', { psbt: 1 })).rawPayload.equals(first.rawPayload)).toBe(true)
  })

  test('with another body is 400, whatever the first result', async () => {
    await post('k')
    const response = await post('k', { psbt: 'another' })
    expect(response.json()).toMatchObject({
      statusCode: 400,
      code: 'IDEMPOTENCY_KEY_REUSED',
      message: 'Idempotency-Key: was used with another body',
    })
    expect((await post('k')).headers['idempotent-replayed']).toBe('true')
  })

  test('is each route’s, each order’s and each client’s own', async () => {
    await post('k')
    const others = [
      await post('k', REFUSED, EVENT),
      await post('k', {}, '/api/market/orders/a/revalidate'),
      await post('k', {}, '/api/market/orders/b/revalidate'),
      await post('k', REFUSED, IMPORT, '198.51.100.1'),
    ]
    for (const { headers } of others) expect(headers['idempotent-replayed']).toBeUndefined()
  })

  test.each(['', 'two words', 'k'.repeat(256), 'é', 'a, b'])(
    'of the form %s is 400',
    async (key) => {
      const response = await post(key)
      expect(response.json()).toMatchObject({ statusCode: 400, code: 'INVALID_IDEMPOTENCY_KEY' })
    },
  )

  test.each(['k', 'k'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '!~'])(
    'of the form %s is taken',
    async (key) => {
      expect((await post(key)).json()).toMatchObject({ code: 'INVALID_PSBT' })
    },
  )

  test('of any length works with a path of any length', async () => {
    const url = `/api/market/orders/${'%C3%A9'.repeat(160)}/revalidate`
    expect((await post('"'.repeat(255), {}, url)).statusCode).toBe(404)
  })

  test('is ignored on a GET, and on an unknown path', async () => {
    const headers = { 'idempotency-key': 'two words' }
    expect((await it.get('/api/market/orders', headers)).statusCode).toBe(200)
    expect((await it.post('/nowhere', {}, headers)).statusCode).toBe(404)
  })
})

describe('while the first request runs', () => {
  test('a second one is 409, with the time to ask again', async () => {
    const order = await it.seed()
    const url = `/api/market/orders/${order.id}/revalidate`
    const first = post('k', {}, url)
    await it.commands.next()
    const second = await post('k', {}, url)
    expect(second.json()).toMatchObject({ statusCode: 409, code: 'IDEMPOTENCY_KEY_IN_USE' })
    expect(second.headers['retry-after']).toBe('1')
    await it.commands.refuseAll('BAD_REQUEST', 'enough')
    expect((await first).json()).toMatchObject({ message: 'enough' })
    expect((await post('k', {}, url)).json()).toMatchObject({ message: 'enough' })
  })
})

describe('a transient failure is not stored', () => {
  test.each(['NODE_UNAVAILABLE', 'ASSET_INDEX_UNAVAILABLE'] as const)('%s', async (code) => {
    const order = await it.seed()
    const url = `/api/market/orders/${order.id}/revalidate`
    for (let round = 0; round < 2; round += 1) {
      const response = post('k', {}, url)
      await it.commands.refuseNext(code, `round ${round}`)
      expect((await response).json()).toMatchObject({ statusCode: 503, message: `round ${round}` })
    }
  })

  test('a wait that was too long', async () => {
    const order = await it.seed()
    const url = `/api/market/orders/${order.id}/revalidate`
    const first = await withoutPatience(it, () => post('k', {}, url))
    const second = await withoutPatience(it, () => post('k', {}, url))
    await it.commands.next()
    await it.commands.next()
    expect(first.statusCode).toBe(504)
    expect(second.statusCode).toBe(504)
    expect(second.headers['idempotent-replayed']).toBeUndefined()
  })
})
