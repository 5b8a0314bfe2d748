import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { OperationsReport } from '../../src/schemas/operations.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { watermarkOf } from '../support/orders/order-changes.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const PATH = '/api/market/admin/operations'
const RELAY = {
  feed: 'portable-nostr802',
  from: 'wss://relay.example/',
  state: 'paused',
  trouble: 'silent',
  detail: 'nothing for 60 s',
} as const
const AT = '2026-11-24T12:00:00.000Z'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({
    http: { operators, rateLimits: { operator: 9_999 } },
    operations: { feeds: () => [RELAY] },
  })
})
afterAll(() => it.close())

const read = async (): Promise<OperationsReport> => {
  const answer = await it.get(PATH, OPERATOR)
  expect(answer.statusCode, answer.body).toBe(200)
  return OperationsReport.parse(answer.json())
}

test('each partition: what is left for its readers, and its watermark; an unavailable reader has none', async () => {
  const before = await read()
  expect(before.partitions.map(({ partition, watermark }) => [partition, watermark])).toEqual([
    [0, null],
    [1, null],
  ])
  const continuousSince = { epoch: 1, n: 2 }
  await it.gateway.views.applyFreshness(1, { watermark: watermarkOf(7, AT), continuousSince })
  const { partitions } = await read()
  expect(partitions.map(({ watermark }) => watermark)).toEqual([
    null,
    { at: AT, tipHeight: 900_007, indexHeight: null, indexStatus: 'unconfigured' },
  ])
  expect(partitions[1]?.actors).toMatchObject({ left: 0 })
  expect(partitions[1]?.history).toMatchObject({ at: null, left: null })
})

test('the build of the process that answers', async () => {
  const { build } = await read()
  expect(build).toEqual({ version: 'unknown', commit: 'unknown', node: process.versions.node })
})

test('the process that answers, and the rates of the whole log in the last minute', async () => {
  const record = { topic: TOPICS.lifecycle, partition: 0, key: 'one', value: { kind: 'none' } }
  await it.gateway.log.append(Array.from({ length: 30 }, () => record))
  const { process: facts, rates } = await read()
  expect(facts).toMatchObject({ role: 'all', disk: null })
  expect(rates.lifecyclePerSecond).toBeGreaterThanOrEqual(30 / 60)
  expect(rates.inboxPerSecond).toBe(0)
})

test('records that nobody has read yet are left', async () => {
  const letter = { schema: 1, kind: 'dead', offset: 3, reason: 'unreadable', value: {} }
  await it.gateway.log.append([
    { topic: TOPICS.lifecycle, partition: 1, key: 'one', value: letter },
  ])
  const { partitions } = await read()
  expect(partitions[1]?.views.left).toBe(1)
})

test('dead letters, the newest 50 of each partition, with their retries', async () => {
  const dead = (offset: number, reason: string) => ({
    topic: TOPICS.dead,
    partition: 1,
    key: String(offset),
    value: { schema: 1, kind: 'dead', offset, reason, value: '<script>' },
  })
  const retried = { schema: 1, kind: 'retried', offset: 60, toPartition: 0, at: AT }
  await it.gateway.log.append([
    ...Array.from({ length: 60 }, (_, n) => dead(n, 'unreadable')),
    dead(60, 'too large: no log accepts it'),
    dead(60, 'no such order'),
    { topic: TOPICS.dead, partition: 1, key: '60', value: retried },
  ])
  const { deadLetters } = await read()
  expect(deadLetters.length).toBeLessThanOrEqual(50)
  expect(deadLetters.at(-1)).toEqual({
    partition: 1,
    offset: 60,
    reasons: ['too large: no log accepts it', 'no such order'],
    retriedAt: AT,
  })
})

test('acts of operators, the newest first: who, what, and what was refused', async () => {
  expect((await read()).acts).toEqual([])
  const places = [{ partition: 0, offset: 3 }]
  await it.post('/api/market/admin/dead-letters/retry', { places }, OPERATOR)
  const id = '0'.repeat(64)
  await it.post(`/api/market/admin/orders/${id}/hide`, { reason: 'spam' }, OPERATOR)
  const at = expect.any(String)
  expect((await read()).acts).toEqual([
    {
      ...{ at, operator: 'bob', act: 'hide an order', about: `orderId ${id}, reason spam` },
      refused: 'ORDER_NOT_FOUND',
    },
    { at, operator: 'bob', act: 'retried dead letters', about: 'letters 0/3', refused: null },
  ])
})

test('feeds: their states; null where another process reads them', async () => {
  expect((await read()).feeds).toEqual([RELAY])
  const elsewhere = await openTestApp({ http: { operators } })
  expect((await elsewhere.get(PATH, OPERATOR)).json().feeds).toBeNull()
  await elsewhere.close()
})

test('refuses whoever is no operator', async () => {
  expect((await it.get(PATH)).json()).toMatchObject({ statusCode: 401, code: 'UNAUTHORIZED' })
  expect((await it.get(PATH, { authorization: 'Bearer no' })).statusCode).toBe(401)
})

test('refuses while the log does not answer', async () => {
  const away = async (): Promise<never> => {
    throw new StorageUnavailableError('io', 'gone')
  }
  const broken = await openTestApp({
    http: { operators },
    operations: { log: { ...it.gateway.log, partitions: 1, end: away, consumed: away } },
  })
  expect((await broken.get(PATH, OPERATOR)).json()).toMatchObject({
    statusCode: 503,
    code: 'STORAGE_UNAVAILABLE',
  })
  await broken.close()
})
