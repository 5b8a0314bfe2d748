import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/http.ts'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp()
})
afterAll(() => it.close())

const entries = () => it.logLines.map((line) => JSON.parse(line))

test('an answer is one line: what was asked by its pattern, how it ended and how long it took', async () => {
  await it.get('/api/market/orders/abc?search=secret', { 'x-request-id': 'line-1' })
  expect(entries().filter(({ reqId }) => reqId === 'line-1')).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'answered',
      method: 'GET',
      route: '/api/market/orders/:id',
      statusCode: 404,
      ms: expect.any(Number),
      ip: '127.0.0.1',
    }),
  ])
})

describe('log injection', () => {
  test.each([
    '/nowhere%0a%7B%22level%22:60%7D',
    '/%1b[31mred',
    '/\u0085%E2%80%A8',
    `/api/market/orders?search=${encodeURIComponent('\n{"msg":"forged"}\u001b[2J')}`,
  ])('%s stays within one JSON line', async (url) => {
    const before = it.logLines.length
    await it.get(url, { 'user-agent': 'a\tb', 'x-request-id': '\u0001' })
    const lines = it.logLines.slice(before)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      expect(line.endsWith('\n')).toBe(true)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none must be in a line
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f]/)
      expect(JSON.parse(line)).not.toMatchObject({ msg: 'forged' })
    }
  })
})

test('neither a PSBT nor a credential that came in with a request is logged', async () => {
  const secret = 'cHNidP8BAHUCAAAAASaBcTce3'
  await it.post(
    '/api/market/orders/import',
    { psbt: secret },
    { authorization: `Bearer ${secret}` },
  )
  await it.post('/api/market/orders/import', { psbt: 1, [secret]: 1 })
  expect(it.logLines.join('')).not.toContain(secret)
})

test('answers are counted by route, method and status', async () => {
  await it.get('/api/market/orders/abc')
  await it.get('/nowhere/at/all')
  const text = await it.registry.metrics()
  expect(text).toMatch(
    /market_http_request_seconds_count\{route="\/api\/market\/orders\/:id",method="GET",status="404"\} \d/,
  )
  expect(text).toContain('route="unknown"')
})
