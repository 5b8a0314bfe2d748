import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { CustomerKeys } from '../../src/gateway/customers/customer-keys.ts'
import { readKeys } from '../../src/gateway/customers/key-registry.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../support/http/http.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const KEYS = '/api/market/admin/keys'
const LIST = '/api/market/orders'

const SMALL = { name: 'small', requests: 3, storedKib: 256, streams: 1, webhooks: 1 }
const LARGE = { name: 'large', requests: 1_000, storedKib: 4_096, streams: 4, webhooks: 4 }

const opened: TestApp[] = []
afterEach(async () => {
  for (const it of opened.splice(0)) await it.close()
})

async function open({ http, ...options }: TestAppOptions = {}): Promise<TestApp> {
  const rateLimits = { operator: 9_999, ...http?.rateLimits }
  const it = await openTestApp({
    tiers: [SMALL, LARGE],
    ...options,
    http: { operators, ...http, rateLimits },
  })
  opened.push(it)
  return it
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const ask = (it: TestApp, path: string, body: object = {}) =>
  it.post(`${KEYS}${path}`, body, OPERATOR)

async function made(it: TestApp, name: string, tier: string): Promise<string> {
  const answer = await ask(it, '', { name, tier })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().key
}

const statusWith = async (it: TestApp, key: string, path = LIST): Promise<number> =>
  (await it.get(path, bearer(key))).statusCode

test('an operator makes, lists, rotates and revokes a key, which counts at once', async () => {
  const it = await open()
  const created = await ask(it, '', { name: 'acme', tier: 'large' })
  const { key, ...view } = created.json()
  expect([created.statusCode, key]).toEqual([201, expect.stringMatching(/^mkc_[\w-]{43}$/)])
  const { name: _name, ...limits } = LARGE
  expect(view).toMatchObject({ name: 'acme', tier: 'large', limits, secrets: 1 })
  expect((await it.get(KEYS, OPERATOR)).json()).toEqual({ keys: [view] })
  expect(await statusWith(it, key)).toBe(200)

  const rotated = (await ask(it, '/acme/rotate')).json()
  expect([rotated.secrets, rotated.key === key]).toEqual([2, false])
  expect([await statusWith(it, key), await statusWith(it, rotated.key)]).toEqual([200, 200])
  const last = (await ask(it, '/acme/rotate', { previousForSeconds: 0 })).json()
  expect(last.secrets).toBe(1)
  const all = [key, rotated.key, last.key]
  expect(await Promise.all(all.map((one) => statusWith(it, one)))).toEqual([401, 401, 200])

  expect((await ask(it, '/acme/revoke')).json()).toMatchObject({ name: 'acme', secrets: 1 })
  expect(await statusWith(it, last.key)).toBe(401)
  expect((await it.get(KEYS, OPERATOR)).json()).toEqual({ keys: [] })
  // The name is free again, for a key that shares nothing with the old one.
  const again = await made(it, 'acme', 'large')
  expect([await statusWith(it, again), await statusWith(it, last.key)]).toEqual([200, 401])
})

test('a key is in no log: neither the server’s nor the topic, which has its hash', async () => {
  const it = await open()
  const key = await made(it, 'acme', 'large')
  const { key: second } = (await ask(it, '/acme/rotate')).json()
  await statusWith(it, key)
  await statusWith(it, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)
  const stored = JSON.stringify(await readKeys(it.gateway))
  const logged = it.logLines.join('')
  for (const secret of [key, second]) {
    for (const text of [stored, logged]) expect(text).not.toContain(secret.slice(4))
    expect(stored).toContain(createHash('sha256').update(secret).digest('hex'))
  }
  expect(logged).toContain('an operator made a key')
  expect(logged).toContain('"operator":"bob"')
})

describe('refuses', () => {
  test('whoever is no operator, a customer too', async () => {
    const it = await open()
    const key = await made(it, 'acme', 'large')
    for (const headers of [{}, bearer(key)]) {
      expect((await it.get(KEYS, headers)).statusCode).toBe(401)
      for (const path of ['', '/acme/rotate', '/acme/revoke'])
        expect((await it.post(`${KEYS}${path}`, {}, headers)).statusCode).toBe(401)
    }
  })

  test('a name that is taken or odd, an unknown tier, an unknown name', async () => {
    const it = await open()
    await made(it, 'acme', 'large')
    const messageOf = async (path: string, body: object) =>
      [(await ask(it, path, body)).json().message].flat().join('; ')
    expect(await messageOf('', { name: 'acme', tier: 'small' })).toBe('name: is taken')
    expect(await messageOf('', { name: 'B', tier: 'small' })).toContain('name: must be 1 to 40')
    const tiers = 'tier: must be one of small, large'
    expect(await messageOf('', { name: 'b', tier: 'huge' })).toBe(tiers)
    expect((await ask(it, '/nobody/rotate')).json().code).toBe('NOT_FOUND')
    expect((await ask(it, '/nobody/revoke')).json().code).toBe('NOT_FOUND')
  })

  test('a sixth secret that is accepted at the same time', async () => {
    const it = await open()
    const first = await made(it, 'acme', 'large')
    for (let n = 2; n <= 5; n += 1) expect((await ask(it, '/acme/rotate')).json().secrets).toBe(n)
    expect((await ask(it, '/acme/rotate')).json()).toMatchObject({ statusCode: 400 })
    expect(await statusWith(it, first)).toBe(200)
    expect((await ask(it, '/acme/rotate', { previousForSeconds: 0 })).json().secrets).toBe(1)
  })

  test.each([
    ['an unknown key', `mkc_${'A'.repeat(43)}`],
    ['a short one', 'mkc_A'],
    ['an empty one', 'mkc_'],
    ['a long one', `mkc_${'A'.repeat(4_000)}`],
  ])('%s, on every kind of route', async (_what, key) => {
    const it = await open()
    await made(it, 'acme', 'large')
    const read = await it.get(LIST, bearer(key))
    expect(read.json()).toMatchObject({ statusCode: 401, code: 'UNAUTHORIZED' })
    expect(read.headers['www-authenticate']).toBe('Bearer realm="market customers"')
    expect((await it.post(`${LIST}/import`, { psbt: 'x' }, bearer(key))).statusCode).toBe(401)
    // An orchestrator's probe needs nothing, and is refused nothing.
    expect((await it.get('/livez', bearer(key))).statusCode).toBe(200)
  })
})

test('what else is in Authorization is not a key: the request is a stranger’s', async () => {
  const it = await open()
  for (const authorization of ['Basic bWFya2V0', 'Bearer mkt_x', 'mkc_x', 'Bearer'])
    expect((await it.get(LIST, { authorization })).statusCode, authorization).toBe(200)
})

describe('limits', () => {
  test('a customer by the tier of the key on all routes together, and not by address', async () => {
    const it = await open({ http: { rateLimits: { read: 2, artifact: 1 } } })
    const key = await made(it, 'acme', 'small')
    const first = await it.get(LIST, bearer(key))
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' })
    const unknown = `/api/market/orders/${'0'.repeat(64)}`
    expect(await statusWith(it, key, unknown)).toBe(404)
    // A route with a limit of its own beside that of reads counts once.
    expect(await statusWith(it, key, `${unknown}/artifact`)).toBe(404)
    const refused = await it.get(LIST, bearer(key))
    expect(refused.json()).toMatchObject({
      statusCode: 429,
      code: 'MARKET_RATE_LIMITED',
      message: 'at most 3 requests a minute with a key of tier small',
    })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    // Strangers at the same address have all that is theirs.
    expect((await it.get(LIST)).headers['ratelimit-remaining']).toBe('1')
    expect((await it.get(LIST)).statusCode).toBe(200)
    expect((await it.get(LIST)).statusCode).toBe(429)
    const metrics = await it.registry.metrics()
    expect(metrics).toContain('market_customer_requests_total{tier="small",result="served"} 3')
    expect(metrics).toContain('market_customer_requests_total{tier="small",result="limited"} 1')
    expect(metrics).not.toContain('acme')
  })

  test('a customer that moved to another tier by that, though the minute of the one before is used up', async () => {
    const it = await open()
    const before = await made(it, 'acme', 'small')
    for (const status of [200, 200, 200, 429]) expect(await statusWith(it, before)).toBe(status)
    await ask(it, '/acme/revoke')
    const key = await made(it, 'acme', 'large')
    expect(await statusWith(it, key)).toBe(200)
  })

  test('all keys together, and no stranger with them', async () => {
    // No token comes back: two requests are left of a minute's 60.
    const clock = { ...systemClock, monotonic: () => 1_000 }
    const it = await open({ http: { keysPerMinute: 60 }, ports: { clock } })
    const [one, other] = [await made(it, 'one', 'large'), await made(it, 'other', 'large')]
    expect([await statusWith(it, one), await statusWith(it, other)]).toEqual([200, 200])
    const refused = await it.get(LIST, bearer(one))
    expect(refused.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
    expect(refused.headers['retry-after']).toBe('1')
    expect(await statusWith(it, other)).toBe(503)
    expect((await it.get(LIST)).statusCode).toBe(200)
  })

  test('the streams of a customer by its tier, in places of customers', async () => {
    const it = await open({
      http: { keyStreams: 2, streams: { ...DEFAULT_HTTP_SETTINGS.streams, inAll: 1 } },
    })
    const port = await it.listen()
    const keys = [await made(it, 'one', 'small'), await made(it, 'two', 'large')]
    const stop = new AbortController()
    const stream = async (headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${port}/api/market/activity/stream`
      const { status, body } = await fetch(url, { headers, signal: stop.signal })
      if (status !== 200) await body?.cancel()
      return status
    }
    const [small = '', large = ''] = keys
    expect(await stream(bearer(small))).toBe(200)
    expect(await stream(bearer(small))).toBe(429)
    expect(await stream(bearer(large))).toBe(200)
    expect(await stream(bearer(large))).toBe(503)
    // The one place of strangers is still free.
    expect(await stream({})).toBe(200)
    stop.abort()
  })

  describe('the streams of a key to', () => {
    const openStream = async (port: number, key: string) => {
      const url = `http://127.0.0.1:${port}/api/market/activity/stream`
      const { status, body } = await fetch(url, { headers: bearer(key) })
      if (status !== 200) await body?.cancel()
      return { status, body }
    }

    test.each([
      ['until it has leaked and is rotated', '/acme/rotate', { previousForSeconds: 0 }],
      ['until it was rotated for long enough', '/acme/rotate', { previousForSeconds: 1 }],
      ['until it is revoked', '/acme/revoke', {}],
    ])('its secret, %s', async (_when, path, body) => {
      const it = await open()
      const port = await it.listen()
      const other = await openStream(port, await made(it, 'other', 'small'))
      const key = await made(it, 'acme', 'small')
      const stream = await openStream(port, key)
      expect([stream.status, (await openStream(port, key)).status]).toEqual([200, 429])
      const rotated = (await ask(it, path, body)).json().key
      const fresh = rotated ?? (await made(it, 'acme', 'small'))
      // Nothing is left of it: not its place either.
      await new Response(stream.body).text().catch(() => undefined)
      const again = await openStream(port, fresh)
      expect(again.status).toBe(200)
      await again.body?.cancel()
      const reader = other.body?.getReader()
      expect((await reader?.read())?.done).toBe(false)
      await reader?.cancel()
    })
  })

  test('a customer of a tier that the configuration has no more as a stranger', async () => {
    const it = await open({ http: { rateLimits: { read: 5 } } })
    const tiers = new Map([[LARGE.name, LARGE]])
    const key = await made(it, 'acme', 'large')
    tiers.clear()
    const keys = new CustomerKeys(tiers, it.gateway.clock)
    await keys.refresh(it.gateway.log)
    expect(keys.recognise(key)).toEqual({ name: 'acme', tier: null })
  })

  test('keys that are not read yet: no key is refused as wrong', async () => {
    const it = await open()
    const keys = new CustomerKeys(new Map(), it.gateway.clock)
    expect(() => keys.recognise('mkc_x')).toThrow('are not read yet')
  })

  test('the webhooks that operators create for a customer by its tier', async () => {
    const it = await open()
    await made(it, 'acme', 'small')
    const create = (name: string, customer: string) => {
      const body = { name, url: 'https://hooks.example/', customer }
      return it.post('/api/market/admin/webhooks', body, OPERATOR)
    }
    const messageOf = async (name: string, customer: string) =>
      (await create(name, customer)).json().message
    expect((await create('first', 'acme')).json()).toMatchObject({ customer: 'acme' })
    // Repeated, not created again.
    expect((await create('first', 'acme')).statusCode).toBe(201)
    const most = 'customer: a key of tier small has 1 webhooks at most'
    expect(await messageOf('second', 'acme')).toBe(most)
    const unknown = 'customer: no key with a tier has this name'
    expect(await messageOf('other', 'nobody')).toBe(unknown)
  })
})
