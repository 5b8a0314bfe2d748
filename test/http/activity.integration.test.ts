import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbeddedHistory } from '../../src/adapters/embedded/stores/history.ts'
import { sealChange } from '../../src/domain/order/change-chain.ts'
import type { History } from '../../src/ports/views/history.ts'
import { LOG_SCHEMA } from '../../src/schemas/log.ts'
import { type ActivityEntry, ActivityPage } from '../../src/schemas/order.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import { MAX_UNPROVED_CHANGES } from '../../src/schemas/unproved.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toOrderId, toOutpointText } from '../support/ids.ts'
import { bookOf } from '../support/orders/order-book.ts'

const ORDERS = ['a1', 'b2', 'c3'].map((text) => toOrderId(text.repeat(32)))
const TRANSITIONS = 40

let it: TestApp
let history: History
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'market-activity-'))
  history = openEmbeddedHistory({ directory })
  await history.record(Array.from({ length: TRANSITIONS }, (_, n) => transition(n)))
  it = await openTestApp({ ports: { history } })
})
afterAll(async () => {
  await it.close()
  await history.close()
  await rm(directory, { recursive: true, force: true })
})

/** The n-th of all transitions; several fall into one millisecond. */
function transition(n: number) {
  const orderId = ORDERS[n % ORDERS.length]!
  const seq = Math.floor(n / ORDERS.length) + 1
  const isLive = seq % 2 === 1
  return {
    partition: 0,
    offset: n,
    change: sealChange({
      schema: LOG_SCHEMA,
      kind: 'transition',
      orderId,
      outpoint: toOutpointText(`${orderId}:0`),
      seq,
      fromState: seq === 1 ? null : isLive ? 'MEMPOOL_CONFLICTED' : 'LIVE',
      toState: isLive ? 'LIVE' : 'MEMPOOL_CONFLICTED',
      reason: isLive ? 'verified' : 'mempool_conflict',
      actor: 'reconciler',
      observedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 7)).toISOString(),
      cause: { partition: 0, offset: n, kind: 'evidence' },
      evidence: null,
      set: {},
      unset: [],
      prevHash: seq === 1 ? null : orderId,
    }),
  }
}

async function everything(query: Record<string, string>): Promise<ActivityEntry[]> {
  const entries: ActivityEntry[] = []
  let cursor = ''
  do {
    const parameters = new URLSearchParams({ ...query, ...(cursor && { cursor }) })
    const response = await it.get(`/api/market/activity?${parameters}`)
    expect(response.statusCode, response.body).toBe(200)
    const page = ActivityPage.parse(response.json())
    expect(page.limit).toBe(Number(query['limit'] ?? 50))
    expect(page.hasMore).toBe(page.nextCursor !== '')
    expect(response.headers.link !== undefined).toBe(page.hasMore)
    entries.push(...page.entries)
    cursor = page.nextCursor
  } while (cursor !== '')
  return entries
}

/** An order of the pool with so many changes of state. */
async function pooled(changes: number): Promise<OrderId> {
  const [order] = bookOf(1, 57)
  if (!order) throw new Error('the book is empty')
  const moves = Array.from({ length: changes }, (_, n) => {
    const { fromState, toState, reason, actor, observedAt } = transition(n * ORDERS.length).change
    return { fromState, toState, reason, actor, observedAt }
  })
  const now = Date.now()
  const entry = { order, changes: moves, client: 'test', importedAt: now, lookAt: null }
  await it.gateway.pool.put(entry, null, now)
  return order.id
}

describe('GET /activity', () => {
  test('every transition once, newest first [spec 6 rule 1]', async () => {
    const entries = await everything({})
    expect(entries).toHaveLength(TRANSITIONS)
    expect(new Set(entries.map(({ id }) => id)).size).toBe(TRANSITIONS)
    const times = entries.map(({ observedAt }) => observedAt)
    expect(times).toEqual([...times].sort().reverse())
    expect(entries.filter(({ fromState }) => fromState === null)).toHaveLength(ORDERS.length)
  })

  test.each(['1', '7', '200'])('in pages of %s is the same list', async (limit) => {
    expect(await everything({ limit })).toEqual(await everything({}))
  })

  test('of one order, of an unknown one and of a malformed id', async () => {
    const [orderId = toOrderId('')] = ORDERS
    const entries = await everything({ orderId, limit: '5' })
    expect(entries.length).toBe(Math.ceil(TRANSITIONS / ORDERS.length))
    expect(new Set(entries.map((entry) => entry.orderId))).toEqual(new Set([orderId]))
    for (const other of ['0'.repeat(64), 'x', "' OR 1=1 --", '']) {
      expect(await everything({ orderId: other })).toEqual([])
    }
  })

  test('of an order that is not proved: all that the pool has, in pages of any length', async () => {
    const orderId = await pooled(MAX_UNPROVED_CHANGES)
    const entries = await everything({ orderId })
    const numbers = Array.from({ length: MAX_UNPROVED_CHANGES }, (_, n) => n + 1)
    expect(entries.map(({ id }) => id)).toEqual(numbers.map((seq) => `${orderId}:${seq}`).reverse())
    for (const limit of ['1', '5', '15', '16'])
      expect(await everything({ orderId, limit })).toEqual(entries)
  })

  test('a cursor of one order is not valid for another, nor of the order book', async () => {
    const [first = '', second = ''] = ORDERS
    const url = '/api/market/activity?limit=2'
    const { nextCursor } = (await it.get(`${url}&orderId=${first}`)).json()
    for (const wrong of [`${url}&orderId=${second}`, url, '/api/market/orders?limit=2']) {
      const response = await it.get(`${wrong}&cursor=${nextCursor}`)
      expect(response.json()).toMatchObject({ statusCode: 400, code: 'INVALID_CURSOR' })
    }
  })
})

test('while the history is unavailable: 503 with the reason, without internals', async () => {
  const other = await openTestApp()
  const response = await other.get('/api/market/activity')
  expect(response.json()).toMatchObject({
    statusCode: 503,
    code: 'HISTORY_UNAVAILABLE',
    message: 'the activity log is unavailable: no entries are lost',
  })
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  await other.close()
})

describe('an order whose last change is not in the history yet', () => {
  const [orderId = toOrderId('')] = ORDERS

  test('is answered once it is: its activity never lacks what its own page shows', async () => {
    const waits: number[] = []
    const other = await openTestApp({
      ports: { history: { activity: history.activity.bind(history), lastSeq } },
    })
    const { id, seq } = await other.seed({ id: orderId })
    async function lastSeq(asked: string): Promise<number> {
      waits.push(waits.length)
      expect(asked).toBe(id)
      return waits.length > 3 ? seq + 1 : 0
    }
    const response = await other.get(`/api/market/activity?orderId=${id}`)
    expect(response.statusCode, response.body).toBe(200)
    expect(waits).toHaveLength(4)
    await other.close()
  })

  test('is refused after three seconds', async () => {
    const behind = { activity: history.activity.bind(history), lastSeq: async () => 0 }
    const other = await openTestApp({ ports: { history: behind } })
    const { id } = await other.seed({ id: orderId })
    const response = await other.get(`/api/market/activity?orderId=${id}`)
    expect(response.json()).toMatchObject({ statusCode: 503, code: 'HISTORY_UNAVAILABLE' })
    expect((await other.get('/api/market/activity')).statusCode).toBe(200)
    await other.close()
  })
})
