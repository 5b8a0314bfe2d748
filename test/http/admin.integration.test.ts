import { createHash } from 'node:crypto'
import type { RouteOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PREFLIGHT_REQUEST, QUOTE_REQUEST } from '../../src/http/openapi/examples/bodies.ts'
import { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const OTHER = `mkt_${'0ddba11-_'.padEnd(43, 'Z')}`
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

  test('401: no operator is configured [spec 5 rule 2] [spec 7 401]', async () => {
    const none = await openTestApp()
    const response = await none.post(url(UNKNOWN), {}, bearer(TOKEN))
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBeDefined()
    await none.close()
  })

  test('is required before an answer is replayed under an Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'moderation' }
    expect((await it.post(url(UNKNOWN), {}, { ...key, ...bearer(TOKEN) })).statusCode).toBe(404)
    expect((await it.post(url(UNKNOWN), {}, key)).statusCode).toBe(401)
  })

  test('ten requests a minute and operator, at however many addresses', async () => {
    const strict = await openTestApp({ http: { operators } })
    const ask = (n: number, token: string) =>
      strict.app.inject({
        method: 'POST',
        url: url(UNKNOWN),
        headers: bearer(token),
        remoteAddress: `198.51.100.${n}`,
      })
    for (let n = 0; n < 10; n += 1) expect((await ask(n, TOKEN)).statusCode).toBe(404)
    const refused = await ask(99, TOKEN)
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ code: 'MARKET_RATE_LIMITED' })
    expect((await ask(99, OTHER)).statusCode).toBe(404)
    await strict.close()
  })

  test('ten failures a minute and client, and an operator at the same address is not locked out', async () => {
    const strict = await openTestApp({ http: { operators } })
    for (let n = 0; n < 10; n += 1) {
      expect((await strict.post(url(UNKNOWN), {}, bearer(`${n}`))).statusCode).toBe(401)
    }
    expect((await strict.post(url(UNKNOWN), {}, bearer('wrong'))).statusCode).toBe(429)
    expect((await strict.post(url(UNKNOWN), {}, bearer(TOKEN))).statusCode).toBe(404)
    await strict.close()
  })

  test('an operator reads where a stranger of the same address has spent its reads', async () => {
    const strict = await openTestApp({ http: { operators, rateLimits: { read: 2 } } })
    const read = (path: string, headers = {}) =>
      strict.app.inject({ method: 'GET', url: `/api/market/${path}`, headers })
    const spent = [await read('orders'), await read('orders'), await read('orders')]
    expect(spent.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429])
    expect((await read('admin/hidden-orders', bearer(TOKEN))).statusCode).toBe(200)
    expect((await read('admin/hidden-orders')).statusCode).toBe(401)
    await strict.close()
  })

  test('failures count together at every route of operators, in one window of the client', async () => {
    const guarded: { method: 'GET' | 'POST'; url: string }[] = []
    const onRoute = ({ method: registered, url, schema }: RouteOptions) => {
      const method = (['GET', 'POST'] as const).find((one) => one === registered)
      const isGuarded = schema?.security?.some((scheme) => 'operator' in scheme)
      if (method && isGuarded) guarded.push({ method, url })
    }
    const rateLimits = { operator: 2, records: 9_999 }
    const strict = await openWholeApp({ http: { operators, rateLimits }, onRoute })
    const fail = async (route: (typeof guarded)[number], remoteAddress: string) =>
      (await strict.app.inject({ ...route, remoteAddress, headers: bearer('wrong') })).statusCode
    const [first] = guarded
    const paths = guarded.map(({ url: path }) => path)
    expect(paths).toContain('/api/market/admin/topics/:topic/records')
    expect(paths).toContain('/pairing/divergences')
    for (const [n, route] of guarded.entries()) {
      const client = `${n + 1}.0.0.1`
      const answers = [await fail(route, client), await fail(route, client)]
      if (first) answers.push(await fail(route, client), await fail(first, client))
      expect([route.method, route.url, ...answers]).toEqual([
        route.method,
        route.url,
        ...[401, 401, 429, 429],
      ])
    }
    await strict.close()
  })

  test.each([
    ['short', 'correct horse battery staple'.replaceAll(' ', '-')],
    ['of 63 digits', TOKEN.slice(0, -1)],
    ['of 42 characters', `mkt_${'A'.repeat(42)}`],
    ['long and not random by its form', 'x'.repeat(64)],
  ])('401: the right one, which is %s', async (_name, token) => {
    const weak = await openTestApp({
      http: { operators: [{ name: 'eve', tokenSha256: hashOf(token) }] },
    })
    expect((await weak.post(url(UNKNOWN), {}, bearer(token))).statusCode).toBe(401)
    await weak.close()
  })

  test('is accepted to the end of its last day, in UTC', async () => {
    const clock = new ManualClock(Date.parse('2027-01-31T23:59:59.999Z'))
    const dated = await openTestApp({
      http: { operators: [{ name: 'bob', tokenSha256: hashOf(TOKEN), lastDay: '2027-01-31' }] },
      ports: { clock },
    })
    expect((await dated.post(url(UNKNOWN), {}, bearer(TOKEN))).statusCode).toBe(404)
    clock.advance(1)
    const late = await dated.post(url(UNKNOWN), {}, bearer(TOKEN))
    expect(late.statusCode).toBe(401)
    expect(late.json()).toMatchObject({
      message: 'Authorization: must be Bearer and the token of an operator',
    })
    await dated.close()
  })
})

describe('POST /admin/orders/{id}/withdraw', () => {
  test('the log says operator, the server’s own log who it was, and neither has the token [spec 4.2 Admin withdraw]', async () => {
    const order = await it.seed()
    const asked = it.post(url(order.id), { reason: 'stolen' }, bearer(TOKEN))
    const command = await it.commands.doNext({
      ...order,
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_operator',
      withdrawal: { withdrawnAt: order.updatedAt, reason: 'stolen' },
    })
    expect(command).toMatchObject({
      command: 'withdraw',
      by: 'operator',
      operator: 'bob',
      reason: 'stolen',
    })
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
    expect(response.payload).not.toContain('bob')
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

describe('an order that an operator hides', () => {
  const at = '2026-03-01T00:00:00.000Z'
  const TEXT = {
    token: 'BUY AT evil.example',
    protocolId: 'evil-market',
    hidden: { hiddenAt: at, reason: 'for operators' },
  }
  const page = (order: { id: string }, rest = '') => `/api/market/orders/${order.id}${rest}`
  const admin = (order: { id: string }, rest = '') => `/api/market/admin/orders/${order.id}${rest}`

  test.each(['hide', 'unhide'] as const)(
    '%s: the command has the operator’s name, the answer has none, and the log says who it was',
    async (command) => {
      const order = await it.seed()
      const asked = it.post(admin(order, `/${command}`), { reason: 'reported' }, bearer(TOKEN))
      const told = await it.commands.doNext({ ...order, ...(command === 'hide' ? TEXT : {}) })
      expect(told).toMatchObject({ command, operator: 'bob', reason: 'reported' })
      const response = await asked
      expect(response.statusCode).toBe(201)
      const { validation } = OrderSummary.parse(response.json())
      expect(validation.reasons.includes('hidden_by_operator')).toBe(command === 'hide')
      expect(response.payload).not.toContain('bob')
      const audit = it.logLines
        .map((line) => JSON.parse(line))
        .filter((line) => line.audit?.orderId === order.id)
      expect(audit.map(({ msg }) => msg)).toEqual([
        `an operator asks to ${command} an order`,
        `an operator ${command === 'hide' ? 'hid' : 'unhid'} an order`,
      ])
    },
  )

  test('its page says so, is BLOCKED and keeps what was proved, but nothing that strangers wrote', async () => {
    const order = await it.seed(TEXT)
    const response = await it.get(page(order))
    expect(response.statusCode).toBe(200)
    const summary = OrderSummary.parse(response.json())
    expect(summary).toMatchObject({
      id: order.id,
      state: order.state,
      actionability: 'BLOCKED',
      assets: order.assets,
      sources: [],
    })
    expect(summary.validation.reasons).toContain('hidden_by_operator')
    expect(summary.inspection.outputScriptsHex).toEqual([])
    expect(new Set(summary.inspection.inputWitnessUtxos)).toEqual(new Set([null]))
    expect(response.payload).not.toMatch(/evil|for operators/)
  })

  test('a withdrawn one keeps the reason of its withdrawal for operators', async () => {
    const withdrawal = { withdrawnAt: at, reason: 'evil words' }
    const order = await it.seed({ ...TEXT, state: 'WITHDRAWN', withdrawal })
    expect((await it.get(page(order))).json()).toMatchObject({ withdrawal: { withdrawnAt: at } })
    expect((await it.get(page(order))).payload).not.toContain('evil')
    const whole = await it.get(admin(order), bearer(TOKEN))
    expect(whole.json()).toMatchObject({ withdrawal, token: TEXT.token })
  })

  test('an operator reads all of it, and no one else by that route', async () => {
    const order = await it.seed(TEXT)
    const { statusCode, payload } = await it.get(admin(order), bearer(TOKEN))
    expect(statusCode).toBe(200)
    expect(JSON.parse(payload)).toMatchObject({
      token: TEXT.token,
      protocolId: TEXT.protocolId,
      sources: order.sources,
      actionability: 'BLOCKED',
    })
    expect((await it.get(admin(order))).statusCode).toBe(401)
    expect((await it.get(admin({ id: UNKNOWN }), bearer(TOKEN))).statusCode).toBe(404)
  })

  test.each([
    ['GET', '/artifact', undefined],
    ['GET', '/nostr-envelope', undefined],
    ['POST', '/quote', QUOTE_REQUEST],
    ['POST', '/preflight', PREFLIGHT_REQUEST],
  ] as const)('releases nothing signed: %s %s', async (method, route, payload) => {
    const order = await it.seed(TEXT)
    const response = await it.app.inject({
      method,
      url: page(order, route),
      ...(payload ? { payload } : {}),
    })
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ code: 'ORDER_HIDDEN' })
  })

  test.each(['/artifact', '/nostr-envelope'])(
    'while it is verified again releases nothing: %s',
    async (route) => {
      const { verifiedAt, ...order } = await it.seed()
      await it.seed({ ...order, verifiedAt: null })
      const asked = it.get(page(order, route))
      const { command } = await it.commands.doNext({ ...order, verifiedAt, ...TEXT })
      expect(command).toBe('revalidate')
      const response = await asked
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ code: 'ORDER_HIDDEN' })
    },
  )

  test('is in the list of the hidden, with all its text, for operators alone', async () => {
    const own = await openTestApp({ http: { operators, rateLimits: { operator: 9_999 } } })
    const list = (query = '') => own.get(`/api/market/admin/hidden-orders${query}`, bearer(TOKEN))
    expect((await list()).json()).toMatchObject({ orders: [], total: 0, hasMore: false })
    const shown = await own.seed()
    const hidden = [
      await own.seed({ ...TEXT, createdAt: '2026-03-03T00:00:00.000Z' }),
      await own.seed({ ...TEXT, state: 'REJECTED', createdAt: '2026-03-02T00:00:00.000Z' }),
      await own.seed({
        ...TEXT,
        state: 'WITHDRAWN',
        withdrawal: { withdrawnAt: at, reason: 'evil words' },
        createdAt: '2026-03-01T00:00:00.000Z',
      }),
    ]
    const first = await list('?limit=2')
    expect(first.statusCode).toBe(200)
    const page = OrderPage.parse(first.json())
    expect(page).toMatchObject({ total: 3, limit: 2, hasMore: true })
    expect(first.headers.link).toContain('admin/hidden-orders?limit=2&cursor=')
    const rest = OrderPage.parse((await list(`?limit=2&cursor=${page.nextCursor}`)).json())
    expect(rest).toMatchObject({ total: 3, hasMore: false, nextCursor: '' })
    const orders = [...page.orders, ...rest.orders]
    expect(orders.map(({ id }) => id)).toEqual(hidden.map(({ id }) => id))
    expect(orders.map(({ id }) => id)).not.toContain(shown.id)
    for (const order of orders) {
      expect(order).toMatchObject({ token: TEXT.token, actionability: 'BLOCKED' })
    }
    expect(orders[2]).toMatchObject({ withdrawal: { reason: 'evil words' } })

    for (const [query, code] of [
      [`?cursor=${page.nextCursor}x`, 'INVALID_CURSOR'],
      ['?offset=1', 'OFFSET_NOT_SUPPORTED'],
      ['?limit=201', 'VALIDATION_FAILED'],
    ] as const) {
      const refused = await list(query)
      expect([refused.statusCode, refused.json()], query).toMatchObject([400, { code }])
    }
    const other = await own.get(`/api/market/orders?limit=2&cursor=${page.nextCursor}`)
    expect(other.json()).toMatchObject({ code: 'INVALID_CURSOR' })
    const nobody = await own.get('/api/market/admin/hidden-orders')
    expect([nobody.statusCode, nobody.json()]).toMatchObject([401, { code: 'UNAUTHORIZED' }])
    await own.close()
  })

  test('is in no list and no total, whatever the query', async () => {
    const order = await it.seed(TEXT)
    for (const query of [
      '',
      `search=${order.id}`,
      `token=${encodeURIComponent(TEXT.token)}`,
      'includeWithdrawn=true',
      `state=${order.state}`,
    ]) {
      const list = (await it.get(`/api/market/orders?limit=200&${query}`)).json()
      const ids = list.orders.map(({ id }: { id: string }) => id)
      expect(ids, query).not.toContain(order.id)
      if (query.startsWith('search') || query.startsWith('token')) expect(list.total).toBe(0)
    }
  })
})
