import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/http/http.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const WEBHOOKS = '/api/market/admin/webhooks'
const URL = 'https://hooks.example/market?k=unguessable'

const lookUp = async (name: string) => (name === 'intranet.example' ? ['10.0.0.1'] : [])

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ lookUp, http: { operators, rateLimits: { operator: 9_999 } } })
})
afterAll(() => it.close())

const post = (path: string, body: object = {}, headers = {}) =>
  it.post(`${WEBHOOKS}${path}`, body, { ...OPERATOR, ...headers })
const get = (path = '') => it.get(`${WEBHOOKS}${path}`, OPERATOR)

test('an operator creates, lists, rotates, pauses, resumes, retries and deletes one', async () => {
  const created = await post('', { name: 'shop', url: URL, filter: { state: 'LIVE' } })
  expect(created.statusCode, created.body).toBe(201)
  const { secret, ...view } = created.json()
  expect(secret).toMatch(/^whsec_/)
  expect(view).toMatchObject({
    name: 'shop',
    url: URL,
    filter: { state: 'LIVE', includeWithdrawn: false },
    source: 'operator',
    paused: null,
    secrets: 1,
    secretVersion: 1,
    lag: 0,
    failingSince: null,
    dead: 0,
  })
  expect((await get()).json()).toEqual({ webhooks: [view] })
  const rotated = await post('/shop/rotate')
  expect([rotated.statusCode, rotated.json().secrets]).toEqual([201, 2])
  expect(rotated.json().secret).not.toBe(secret)
  expect((await post('/shop/pause')).json()).toMatchObject({ name: 'shop', paused: 'operator' })
  expect((await post('/shop/rotate')).json().paused).toBe('operator')
  expect((await post('/shop/resume')).json()).toMatchObject({ paused: null })
  expect((await post('/shop/retry')).json()).toMatchObject({ name: 'shop' })
  expect((await get('/shop/dead-letters')).json()).toEqual({ deadLetters: [] })
  expect((await post('/shop/delete')).json()).toMatchObject({ name: 'shop' })
  expect((await get()).json()).toEqual({ webhooks: [] })
  // Neither secrets nor URLs, which are often secret, are logged; the operator is.
  const logged = it.logLines.join('')
  for (const text of [secret, rotated.json().secret, 'unguessable']) {
    expect(logged).not.toContain(text)
  }
  expect(logged).toContain('an operator rotated a webhook')
  expect(logged).toContain('"operator":"bob"')
})

describe('refuses', () => {
  test.each([
    ['GET', ''],
    ['GET', '/shop/dead-letters'],
    ['POST', ''],
    ...['rotate', 'pause', 'resume', 'retry', 'delete'].map((act) => ['POST', `/shop/${act}`]),
  ])('without an operator’s token: %s %s', async (method, path) => {
    const ask = method === 'GET' ? it.get : it.post
    expect((await ask(`${WEBHOOKS}${path}`)).statusCode).toBe(401)
  })

  test.each([
    ['a URL that is not https', { url: 'http://hooks.example/' }, 'url: must be https'],
    [
      'a name of a private address',
      { url: 'https://intranet.example/' },
      'url: its name leads to an address that is not public',
    ],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url: must be at a public address'],
    ['an odd name', { name: 'Shop 1' }, 'name: must be 1 to 40'],
    ['an unknown filter', { filter: { states: 'LIVE' } }, 'filter'],
    ['an order beside a filter', { filter: { orderId: 'a'.repeat(64), side: 'ASK' } }, 'orderId'],
    ['an invalid seller', { filter: { seller: 'nobody' } }, 'seller'],
    ['a secret of the client’s own', { secret: 'whsec_x' }, 'secret'],
  ])('%s', async (_what, wrong, message) => {
    const answer = await post('', { name: 'shop', url: URL, ...wrong })
    expect(answer.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
    expect([answer.json().message].flat().join(' ')).toContain(message)
  })

  test('a name that is taken, an unknown one, and more than 32', async () => {
    expect((await post('/nobody/pause')).json()).toMatchObject({
      statusCode: 404,
      code: 'NOT_FOUND',
    })
    for (let n = 0; n < 32; n += 1) {
      expect((await post('', { name: `shop-${n}`, url: URL })).statusCode).toBe(201)
    }
    const taken = await post('', { name: 'shop-0', url: `${URL}&other` })
    expect(taken.json()).toMatchObject({ code: 'VALIDATION_FAILED', message: 'name: is taken' })
    expect((await post('', { name: 'one-more', url: URL })).statusCode).toBe(400)
    for (let n = 0; n < 32; n += 1) await post(`/shop-${n}/delete`)
    expect((await post('', { name: 'one-more', url: URL })).statusCode).toBe(201)
    await post('/one-more/delete')
  })

  test('to make secrets without a key', async () => {
    const keyless = await openTestApp({ http: { operators }, webhookKeys: [] })
    const answer = await keyless.post(WEBHOOKS, { name: 'shop', url: URL }, OPERATOR)
    expect(answer.json()).toMatchObject({ statusCode: 503, code: 'WEBHOOKS_NOT_CONFIGURED' })
    await keyless.close()
  })
})

describe('a client that lost the answer and asks again', () => {
  const secretOf = (answer: Awaited<ReturnType<typeof post>>): string => {
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json().secret
  }

  test('gets the secret of the webhook that it created, with or without an Idempotency-Key', async () => {
    const asked = { name: 'lost', url: URL, filter: { state: 'LIVE' } }
    const key = { 'idempotency-key': 'create-1' }
    const secret = secretOf(await post('', asked, key))
    expect(secretOf(await post('', asked, key))).toBe(secret)
    expect(secretOf(await post('', asked))).toBe(secret)
    const reused = await post('', { ...asked, name: 'other' }, key)
    expect(reused.json()).toMatchObject({ statusCode: 400, code: 'IDEMPOTENCY_KEY_REUSED' })
    // Only under its key once it is rotated: the body alone then names another secret.
    secretOf(await post('/lost/rotate'))
    expect(secretOf(await post('', asked, key))).toBe(secret)
    expect((await post('', asked)).json().message).toBe('name: is taken')
    await post('/lost/delete')
  })

  test('gets the secret of its rotation under the same key, and of the same number', async () => {
    const first = secretOf(await post('', { name: 'turn', url: URL }))
    const key = { 'idempotency-key': 'rotate-1' }
    const second = secretOf(await post('/turn/rotate', {}, key))
    expect(secretOf(await post('/turn/rotate', {}, key))).toBe(second)
    expect(second).not.toBe(first)
    const reused = await post('/turn/rotate', { secretVersion: 2 }, key)
    expect(reused.json().code).toBe('IDEMPOTENCY_KEY_REUSED')
    const third = secretOf(await post('/turn/rotate', { secretVersion: 2 }))
    expect(secretOf(await post('/turn/rotate', { secretVersion: 2 }))).toBe(third)
    // A later one does not end what the first began.
    expect(secretOf(await post('/turn/rotate', {}, key))).toBe(second)
    const wrong = await post('/turn/rotate', { secretVersion: 1 })
    expect(wrong.json().message).toBe('secretVersion: the current secret is number 3')
    expect((await get()).json().webhooks[0]).toMatchObject({ secrets: 3, secretVersion: 3 })
    await post('/turn/delete')
  })

  test('under no key leaves every secret signing for a day, five at most', async () => {
    await post('', { name: 'often', url: URL })
    for (let n = 2; n <= 5; n += 1) expect((await post('/often/rotate')).json().secrets).toBe(n)
    expect((await post('/often/rotate')).json()).toMatchObject({ statusCode: 400 })
    await post('/often/delete')
  })

  test('with a key that is no key is refused', async () => {
    const answer = await post('', { name: 'keyed', url: URL }, { 'idempotency-key': 'a b' })
    expect(answer.json()).toMatchObject({ statusCode: 400, code: 'INVALID_IDEMPOTENCY_KEY' })
  })
})

test('of three at once under one name one is created, and no other learns its secret', async () => {
  const answers = await Promise.all(
    [1, 2, 3].map((n) => post('', { name: 'race', url: `https://hooks.example/${n}` })),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 400, 400])
  const [made] = answers.filter(({ statusCode }) => statusCode === 201)
  expect((await get()).json().webhooks).toMatchObject([{ name: 'race', url: made?.json().url }])
  await post('/race/delete')
})

test('what an operator asked for is in the log, also if it was refused, with the origin of the URL', async () => {
  it.logLines.length = 0
  await post('', { name: 'bad', url: 'https://10.0.0.1/unguessable' })
  await post('/nobody/rotate')
  const lines = it.logLines.join('')
  for (const text of [
    'an operator asks to create a webhook',
    'an operator could not create a webhook',
    '"origin":"https://10.0.0.1"',
    'an operator could not rotate a webhook',
    '"code":"NOT_FOUND"',
  ]) {
    expect(lines).toContain(text)
  }
  expect(lines).not.toContain('unguessable')
})
