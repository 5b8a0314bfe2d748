import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OrderSummary } from '../../src/schemas/order.ts'
import { openTestApp, type TestApp } from '../support/http.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const OTHER = '0ddba11'.repeat(9)
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
const operators = [
  { name: 'alice', tokenSha256: hashOf(OTHER) },
  { name: 'bob', tokenSha256: hashOf(TOKEN) },
]

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ http: { operators, rateLimits: { operator: 9_999 } } })
})
afterAll(() => it.close())

const url = (id: string, query = '') => `/api/market/admin/orders/${id}/withdraw${query}`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const UNKNOWN = '0'.repeat(64)

describe('the operator’s token', () => {
  test.each([
    ['missing', {}],
    ['empty', { authorization: '' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['a scheme and nothing', { authorization: 'Bearer ' }],
    ['wrong', bearer('0'.repeat(TOKEN.length))],
    ['a prefix of the right one', bearer(TOKEN.slice(0, -1))],
    ['longer than the right one', bearer(`${TOKEN}0`)],
    ['the hash that is configured', bearer(hashOf(TOKEN))],
    ['unicode', { authorization: `Bearer ${TOKEN.slice(0, -1)}\u00e9` }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['without a scheme', { authorization: TOKEN }],
    ['Bearer twice', { authorization: `Bearer bearer ${TOKEN}` }],
    ['two spaces', { authorization: `Bearer  ${TOKEN}` }],
  ])('401, alike: %s [spec 5 rule 2] [spec 5 rule 3] [spec 7 401]', async (_name, headers) => {
    const order = await it.seed()
    for (const id of [order.id, UNKNOWN]) {
      const response = await it.post(url(id), {}, headers)
      expect(response.statusCode).toBe(401)
      expect(response.headers['www-authenticate']).toBe('Bearer realm="market operators"')
      expect(response.json()).toEqual({
        statusCode: 401,
        error: 'Unauthorized',
        message: 'Authorization: must be Bearer and the token of an operator',
        requestId: response.headers['x-request-id'],
        code: 'UNAUTHORIZED',
      })
    }
  })

  test('401: in the query', async () => {
    expect((await it.post(url(UNKNOWN, `?token=${TOKEN}`), {})).statusCode).toBe(401)
  })

  test('401: nobody is configured [spec 5 rule 2] [spec 7 401]', async () => {
    const none = await openTestApp()
    const response = await none.post(url(UNKNOWN), {}, bearer(TOKEN))
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBeDefined()
    await none.close()
  })

  test('is asked for before an answer is replayed under an Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'moderation' }
    expect((await it.post(url(UNKNOWN), {}, { ...key, ...bearer(TOKEN) })).statusCode).toBe(404)
    expect((await it.post(url(UNKNOWN), {}, key)).statusCode).toBe(401)
  })

  test('ten tries a minute and client, whatever the token', async () => {
    const strict = await openTestApp({ http: { operators } })
    for (let n = 0; n < 10; n += 1) {
      expect((await strict.post(url(UNKNOWN), {}, bearer(`${n}`))).statusCode).toBe(401)
    }
    const refused = await strict.post(url(UNKNOWN), {}, bearer(TOKEN))
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ code: 'MARKET_RATE_LIMITED' })
    await strict.close()
  })
})

describe('POST /admin/orders/{id}/withdraw', () => {
  test('the log says operator, the server’s own log who it was, and nothing says the token [spec 4.2 Admin withdraw]', async () => {
    const order = await it.seed()
    const asked = it.post(url(order.id), { reason: 'stolen' }, bearer(TOKEN))
    const command = await it.commands.doNext({
      ...order,
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_operator',
      withdrawal: { withdrawnAt: order.updatedAt, reason: 'stolen' },
    })
    expect(command).toMatchObject({ command: 'withdraw', by: 'operator', reason: 'stolen' })
    const response = await asked
    expect(response.statusCode).toBe(201)
    expect(OrderSummary.parse(response.json())).toMatchObject({
      state: 'WITHDRAWN',
      withdrawal: { reason: 'stolen' },
    })
    const lines = it.logLines.map((line) => JSON.parse(line))
    const audit = lines.filter((line) => line.audit?.orderId === order.id)
    expect(audit.map(({ audit: said, msg }) => [said, msg])).toEqual([
      [
        { operator: 'bob', orderId: order.id, reason: 'stolen' },
        'an operator asks to withdraw an order',
      ],
      [{ operator: 'bob', orderId: order.id, reason: 'stolen' }, 'an operator withdrew an order'],
    ])
    expect(JSON.stringify([command, response.json()])).not.toContain('bob')
    expect(it.logLines.join('')).not.toContain(TOKEN)
  })

  test('without a body, and with the scheme in small letters', async () => {
    const order = await it.seed()
    const asked = it.post(url(order.id), undefined, { authorization: `bearer ${OTHER}` })
    await it.commands.doNext({
      ...order,
      state: 'WITHDRAWN',
      withdrawal: { withdrawnAt: order.updatedAt },
    })
    expect((await asked).statusCode).toBe(201)
  })

  test('with fields of the operator’s own: they are ignored', async () => {
    const order = await it.seed()
    const body = { reason: 'stolen', ticket: 'T-1', severity: { of: 5 } }
    const asked = it.post(url(order.id), body, bearer(TOKEN))
    const withdrawal = { withdrawnAt: order.updatedAt, reason: 'stolen' }
    const command = await it.commands.doNext({ ...order, state: 'WITHDRAWN', withdrawal })
    expect(command).toMatchObject({ command: 'withdraw', by: 'operator', reason: 'stolen' })
    expect(JSON.stringify(command)).not.toContain('ticket')
    expect((await asked).statusCode).toBe(201)
  })

  test.each([[{ reason: 'x'.repeat(281) }], [{ reason: 7 }], [{ reason: 'a\nb' }], [['stolen']]])(
    '400: %j',
    async (body) => {
      const order = await it.seed()
      const response = await it.post(url(order.id), body, bearer(TOKEN))
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED' })
    },
  )

  test('404: no such order, or a malformed id', async () => {
    for (const id of [UNKNOWN, 'x']) {
      const response = await it.post(url(id), {}, bearer(TOKEN))
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ code: 'ORDER_NOT_FOUND' })
    }
  })
})
