import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { meterEventLoopLag } from '../../src/http/event-loop-lag.ts'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

let it: TestApp
afterEach(() => it.close())

describe('under load', () => {
  test('everything but the probes is refused at once, with Retry-After', async () => {
    let lagMs = 0
    it = await openTestApp({ lagMs: () => lagMs, http: { maxLagMs: 200 } })
    expect((await it.get('/api/market/orders')).statusCode).toBe(200)
    lagMs = 201
    for (const url of ['/api/market/orders', '/api/market/health', '/nowhere']) {
      const response = await it.get(url)
      expect(response.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
      expect(response.headers['retry-after']).toBe('1')
    }
    expect((await it.get('/livez')).statusCode).toBe(200)
    lagMs = 0
    expect((await it.get('/api/market/orders')).statusCode).toBe(200)
  })

  test('the meter sees a blocked event loop once it has begun, and that it is free again', async () => {
    it = await openTestApp()
    const meter = meterEventLoopLag()
    const block = async () => {
      for (let round = 0; round < 4; round += 1) {
        const until = performance.now() + 300
        while (performance.now() < until);
        await delay(1)
      }
      await delay(20)
    }
    await block()
    meter.begin()
    await delay(20)
    expect(meter.read()).toBe(0)
    await block()
    const blocked = meter.read()
    await delay(1_200)
    const free = meter.read()
    meter.close()
    expect(blocked).toBeGreaterThan(50)
    expect(free).toBeLessThan(blocked)
  })
})

describe('under load, routes that answer in messages', () => {
  test('close the connection without an answer; readiness is answered all the same', async () => {
    let lagMs = 0
    it = await openWholeApp({ lagMs: () => lagMs, http: { maxLagMs: 200 } })
    const port = await it.listen()
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    const paths = ['/pairing/objects', '/pairing/agreement/1', '/circles/state']
    for (const path of paths) expect((await get(path)).status, path).not.toBe(503)
    lagMs = 201
    for (const path of paths) await expect(get(path), path).rejects.toThrow()
    for (const path of ['/ready', '/pairing/readiness'])
      expect(await (await get(path)).json(), path).toHaveProperty('reasons')
    lagMs = 0
    for (const path of paths) expect((await get(path)).status, path).not.toBe(503)
  })
})

describe('with MARKET_ENABLED=false', () => {
  const open = async () => {
    it = await openTestApp({ settings: { enabled: false } })
  }

  test('health says disabled', async () => {
    await open()
    const response = await it.get('/api/market/health')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      ok: false,
      enabled: false,
      defaultEnabled: true,
      status: 'disabled',
      readyForBitcoinListings: false,
    })
  })

  test('every other route is 503', async () => {
    await open()
    for (const [method, path] of [
      ['GET', '/protocol'],
      ['GET', '/catalog'],
      ['GET', '/orders'],
      ['GET', '/orders/x'],
      ['GET', '/orders/x/artifact'],
      ['GET', '/orders/x/nostr-envelope'],
      ['GET', '/activity'],
      ['POST', '/orders/import'],
      ['POST', '/orders/portable-event'],
      ['POST', '/orders/inspect'],
      ['POST', '/orders/x/revalidate'],
    ] as const) {
      const response = await it.app.inject({ method, url: `/api/market${path}` })
      expect(response.json(), path).toMatchObject({
        statusCode: 503,
        code: 'MARKET_DISABLED',
        message: 'the market is disabled: MARKET_ENABLED is false',
      })
    }
  })

  test('probes continue, and an unknown path is still unknown', async () => {
    await open()
    expect((await it.get('/readyz')).statusCode).toBe(200)
    expect((await it.get('/nowhere')).statusCode).toBe(404)
  })
})

describe('probes', () => {
  test('/readyz gives every reason', async () => {
    it = await openTestApp({
      readiness: async () => ({ missing: ['views: catching up', 'log: away'], degraded: [] }),
    })
    expect((await it.get('/livez')).json()).toEqual({ ok: true })
    expect((await it.get('/readyz')).json()).toMatchObject({
      statusCode: 503,
      code: 'NOT_READY',
      message: ['views: catching up', 'log: away'],
    })
  })
})

describe('shutting down', () => {
  const request = (port: number, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: path.endsWith('revalidate') ? 'POST' : 'GET',
    })

  test('/readyz says so first, while everything is still answered', async () => {
    it = await openTestApp()
    it.app.drain.begin()
    expect((await it.get('/readyz')).json()).toMatchObject({
      code: 'NOT_READY',
      message: 'shutting down',
    })
    const response = await it.get('/api/market/orders')
    expect(response.statusCode).toBe(200)
    expect(response.headers.connection).toBe('close')
  })

  test('a request that runs is answered, and then the close ends', async () => {
    it = await openTestApp()
    const order = await it.seed()
    const port = await it.listen()
    const running = request(port, `/api/market/orders/${order.id}/revalidate`)
    await it.commands.next()
    const closed = it.app.close()
    await delay(50)
    await it.commands.refuseAll('BAD_REQUEST', 'answered in time')
    expect(await (await running).json()).toMatchObject({ message: 'answered in time' })
    await closed
  })

  test('an endless wait is cut short with a 504 that names the order', async () => {
    it = await openTestApp({ http: { drainMs: 1_200 }, settings: { verdictWaitMs: 60_000 } })
    const order = await it.seed()
    const port = await it.listen()
    const running = request(port, `/api/market/orders/${order.id}/revalidate`)
    await it.commands.next()
    const begun = performance.now()
    const closed = it.app.close()
    const body = ErrorResponse.parse(await (await running).json())
    expect(body).toMatchObject({ statusCode: 504, code: 'STILL_BEING_VERIFIED' })
    expect(body.message).toContain(order.id)
    await closed
    // The route waits 60 s for the verdict.
    expect(performance.now() - begun).toBeLessThan(30_000)
  })

  test('a request that was half sent before the end is 503', async () => {
    it = await openTestApp()
    const order = await it.seed()
    const port = await it.listen()
    const running = request(port, `/api/market/orders/${order.id}/revalidate`)
    await it.commands.next()
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.write('GET /api/market/orders HTTP/1.1\r\nhost: x\r\n')
    await delay(50)
    const closed = it.app.close()
    await delay(50)
    socket.write('\r\n')
    await ended
    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text).toContain('SHUTTING_DOWN')
    await it.commands.refuseAll('BAD_REQUEST', 'the other one')
    expect((await running).status).toBe(400)
    await closed
  })

  test('what hangs is cut off when the time is over', async () => {
    it = await openTestApp({ http: { drainMs: 300 } })
    const port = await it.listen()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /api/market/orders/import HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{')
    await delay(50)
    const begun = performance.now()
    await it.app.close()
    // Such a request has ten minutes otherwise.
    expect(performance.now() - begun).toBeLessThan(30_000)
  })
})
