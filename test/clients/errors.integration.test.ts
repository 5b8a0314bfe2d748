import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ApiError,
  createMarketClient,
  type MarketClient,
  MarketClientError,
  NetworkError,
} from '../../clients/typescript/src/index.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { OBJECT_KEY, openPipelines, type Pipelines } from '../support/pairing/pairing-pipeline.ts'

const ORDER = '0'.repeat(64)

let it: TestApp
let pipelines: Pipelines
let client: MarketClient
beforeAll(async () => {
  pipelines = await openPipelines({ settings: { signing: { release: {} } } })
  it = await openTestApp({
    pairing: pipelines.service,
    settings: { verdictWaitMs: 500 },
    http: { rateLimits: { build: 1, revalidate: 100, import: 100 } },
    ports: { node: null },
  })
  client = createMarketClient({ baseUrl: `http://127.0.0.1:${await it.listen()}`, attempts: 1 })
})
afterAll(async () => {
  await it.close()
  await pipelines.close()
})

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toBeInstanceOf(MarketClientError)
  return error as ApiError
}

describe('a failure of the market is an error of its class, with everything the answer says', () => {
  test('400', async () => {
    const query = { limit: 0, state: 'NONE' } as never
    const error = await errorOf(client.get('/api/market/orders', { query }))
    expect(error).toMatchObject({
      name: 'BadRequestError',
      status: 400,
      code: 'VALIDATION_FAILED',
      retryAfter: null,
      param: 'state',
      docs: '/docs/orders/#listOrders',
    })
    expect(error.requestId).toMatch(/^[\w-]{36}$/)
    expect(error.messages).toHaveLength(2)
    expect(error.message).toBe(error.messages.join('; '))
    expect(error.body).toMatchObject({ statusCode: 400, requestId: error.requestId })
  })

  test('401', async () => {
    const path = { id: ORDER }
    const call = client.post('/api/market/admin/orders/{id}/hide', { path, body: { reason: 'x' } })
    expect(await errorOf(call)).toMatchObject({ name: 'UnauthorizedError', code: 'UNAUTHORIZED' })
  })

  test('404', async () => {
    const call = client.get('/api/market/orders/{id}', { path: { id: ORDER } })
    expect(await errorOf(call)).toMatchObject({ name: 'NotFoundError', code: 'ORDER_NOT_FOUND' })
  })

  test('409', async () => {
    const { id } = await it.seed()
    const revalidate = (idempotencyKey: string) =>
      client.post('/api/market/orders/{id}/revalidate', { path: { id }, idempotencyKey })
    const both = await Promise.all([errorOf(revalidate('one')), errorOf(revalidate('one'))])
    expect(both.map(({ name }) => name).sort()).toEqual(['ConflictError', 'LateError'])
    const conflict = both.find(({ name }) => name === 'ConflictError')
    expect(conflict).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE', retryAfter: 1 })
  })

  test('429', async () => {
    const body = {
      ...{ protocolId: 'inscriptions', token: 'x', quotedPriceSats: 1 },
      sellerPaymentAddress: 'x',
    }
    await errorOf(client.post('/api/market/orders/build', { body }))
    const error = await errorOf(client.post('/api/market/orders/build', { body }))
    expect(error).toMatchObject({ name: 'RateLimitedError', code: 'MARKET_RATE_LIMITED' })
    expect(error.retryAfter).toBeGreaterThan(0)
  })

  test('503', async () => {
    const error = await errorOf(client.get('/api/market/activity'))
    expect(error).toMatchObject({ name: 'UnavailableError', code: 'HISTORY_UNAVAILABLE' })
    expect(error.retryAfter).toBeGreaterThan(0)
  })

  test('504', async () => {
    const { id } = await it.seed()
    const call = client.post('/api/market/orders/{id}/revalidate', { path: { id } })
    expect(await errorOf(call)).toMatchObject({ name: 'LateError', code: 'STILL_BEING_VERIFIED' })
  })
})

describe('a failure of a pairing pipeline has no code, and its exact message', () => {
  test('400', async () => {
    const path = { objectKey: 'x' }
    expect(await errorOf(client.get('/pairing/objects/{objectKey}', { path }))).toMatchObject({
      name: 'BadRequestError',
      code: null,
      messages: ['object key must be 32-byte hex'],
    })
  })

  test('404', async () => {
    const path = { objectKey: ORDER }
    expect(await errorOf(client.get('/pairing/objects/{objectKey}', { path }))).toMatchObject({
      name: 'NotFoundError',
      messages: ['object not found'],
    })
  })

  test('500: no signing boundary', async () => {
    const path = { height: '105' } as never
    expect(await errorOf(client.get('/pairing/agreement/{height}', { path }))).toMatchObject({
      name: 'ServiceDefectError',
      messages: ['Internal server error'],
    })
  })

  test('503 of a verified read', async () => {
    const path = { objectKey: OBJECT_KEY }
    const call = client.get('/pairing/verified/objects/{objectKey}', { path })
    expect(await errorOf(call)).toMatchObject({
      name: 'VerificationUnavailableError',
      messages: ['verification_unavailable'],
    })
  })

  test('503 of a pipeline that is not ready, with its reasons', async () => {
    const error = await errorOf(client.get('/ready'))
    expect(error).toMatchObject({ name: 'UnavailableError', messages: ['status 503'] })
    expect(error.body).toMatchObject({ ready: false, reasons: ['agreement_signer_unavailable'] })
  })
})

test('where nothing listens: a NetworkError that says what failed', async () => {
  const nowhere = createMarketClient({ baseUrl: 'http://127.0.0.1:9', attempts: 1 })
  const error = await nowhere.get('/api/market/health').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NetworkError)
  expect(error).toMatchObject({ message: expect.stringContaining('GET http://127.0.0.1:9/api') })
})
