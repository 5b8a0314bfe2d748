import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbeddedHistory } from '../../src/adapters/embedded/stores/history.ts'
import { OrderVersionPage } from '../../src/schemas/dispute/order-version.ts'
import type { ChangeRecord } from '../../src/schemas/log.ts'
import type { UnprovedOrder } from '../../src/schemas/unproved.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { marketLives } from '../support/statistics/market-lives.ts'
import { namedHeights, versionsAt } from '../support/statistics/naive-versions.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const OPERATOR = { authorization: `Bearer ${TOKEN}` }

const LIVES = marketLives(40, 11)
const isHidden = (changes: readonly ChangeRecord[]) =>
  changes.reduce(
    (was, { set, unset }) => (set.hidden ? true : was && !unset.includes('hidden')),
    false,
  )
const SHOWN = LIVES.find((changes) => changes.length > 6 && !isHidden(changes))!
const HIDDEN = LIVES.find(
  (changes) => isHidden(changes) && changes.some(({ evidence }) => evidence !== null),
)!
const idOf = ([first]: readonly ChangeRecord[]) => first!.orderId

let it: TestApp
let history: ReturnType<typeof openEmbeddedHistory>
let versions: ReturnType<typeof history.versions>
let end: () => Promise<void>
beforeAll(async () => {
  const { path, drop } = temporaryDirectory()
  history = openEmbeddedHistory({ directory: path })
  await history.record(LIVES.flat().map((change, offset) => ({ partition: 0, offset, change })))
  versions = history.versions()
  it = await openTestApp({
    http: { operators, rateLimits: { operator: 9_999, statistics: 9_999 } },
    ports: { history, versions },
  })
  for (const records of [SHOWN, HIDDEN])
    await it.gateway.views.apply({ partition: 0, nextOffset: 0, records: [...records] })
  end = async () => {
    await it.close()
    await history.close()
    drop()
  }
})
afterAll(() => end())

const url = (id: string, query = '') => `/api/market/orders/${id}/history?${query}`
const page = async (id: string, query = '') => {
  const response = await it.get(url(id, query))
  expect(response.statusCode, response.body).toBe(200)
  return OrderVersionPage.parse(response.json())
}

describe('GET /orders/{id}/history', () => {
  test('every version by seq, in pages that neither miss nor repeat one', async () => {
    const whole = await page(idOf(SHOWN), 'limit=100')
    expect(whole).toMatchObject({ orderId: idOf(SHOWN), isWithheld: false, hasMore: false })
    expect(whole.versions.map(({ seq, hash }) => [seq, hash])).toEqual(
      SHOWN.map(({ seq, hash }) => [seq, hash]),
    )
    expect(whole.versions.map(({ evidence }) => evidence)).toEqual(
      SHOWN.map(({ evidence }) => evidence),
    )
    const walked = []
    for (let cursor = ''; ; ) {
      const next = await page(idOf(SHOWN), `limit=2${cursor && `&cursor=${cursor}`}`)
      walked.push(...next.versions)
      if (!next.hasMore) break
      cursor = next.nextCursor
    }
    expect(walked).toEqual(whole.versions)
  })

  test('as of a time or a height: the one in force then, or none', async () => {
    const heights = [...namedHeights(LIVES).keys()].toSorted((a, b) => a - b)
    const moments = [
      ...SHOWN.map(({ observedAt: time }) => ({ time })),
      { time: '2025-12-31T00:00:00.000Z' },
      ...[0, 0.5, 1].map((share) => ({
        height: heights[Math.trunc(share * (heights.length - 1))]!,
      })),
    ]
    for (const moment of moments) {
      const { versions, hasMore } = await page(idOf(SHOWN), `at=${Object.values(moment)[0]}`)
      const seq = versionsAt(LIVES, moment).get(idOf(SHOWN))
      expect(versions.map((version) => version.seq)).toEqual(seq === undefined ? [] : [seq])
      expect(hasMore).toBe(false)
    }
  })

  test('of a hidden order: text and evidence for operators only', async () => {
    const shown = await page(idOf(HIDDEN), 'limit=100')
    expect(shown.isWithheld).toBe(true)
    expect(shown.versions).toHaveLength(HIDDEN.length)
    for (const { protocolId, token, evidence } of shown.versions)
      expect([protocolId, token, evidence]).toEqual([null, null, null])
    const admin = `/api/market/admin/orders/${idOf(HIDDEN)}/history?limit=100`
    const whole = OrderVersionPage.parse((await it.get(admin, OPERATOR)).json())
    expect(whole.isWithheld).toBe(false)
    expect(whole.versions.map(({ evidence }) => evidence)).toEqual(
      HIDDEN.map(({ evidence }) => evidence),
    )
    expect((await it.get(admin)).json()).toMatchObject({ statusCode: 401, code: 'UNAUTHORIZED' })
  })

  test('of an unproved order: what the pool has of it', async () => {
    const entry = unproved()
    await it.gateway.pool.put(entry, null, Date.now())
    const { versions } = await page(entry.order.id)
    expect(versions.map(({ seq, state, hash, evidence }) => [seq, state, hash, evidence])).toEqual([
      [1, 'PENDING_NODE', null, null],
      [2, 'REJECTED', null, null],
    ])
    expect(versions[0]?.inForceUntil).toBe(versions[1]?.inForceFrom)
    const at = async (moment: string) => {
      const found = await page(entry.order.id, `at=${moment}`)
      return found.versions.map(({ seq }) => seq)
    }
    expect(await at('2026-01-01T00:00:00.500Z')).toEqual([1])
    expect(await at('2026-01-01T00:00:01Z')).toEqual([2])
    expect(await at('2025-01-01')).toEqual([])
    expect(await at('900000')).toEqual([])
    const first = await page(entry.order.id, 'limit=1')
    const second = await page(entry.order.id, `limit=1&cursor=${first.nextCursor}`)
    expect(second.versions.map(({ seq }) => seq)).toEqual([2])
    expect(second.hasMore).toBe(false)
  })

  test.each([
    [url('0'.repeat(64)), 404, 'ORDER_NOT_FOUND'],
    [url('nothing'), 404, 'ORDER_NOT_FOUND'],
    [url(idOf(SHOWN), 'limit=101'), 400, 'VALIDATION_FAILED'],
    [url(idOf(SHOWN), 'at=yesterday'), 400, 'VALIDATION_FAILED'],
    [url(idOf(SHOWN), 'at=2026-02-30'), 400, 'VALIDATION_FAILED'],
    [url(idOf(SHOWN), 'offset=1'), 400, 'OFFSET_NOT_SUPPORTED'],
    [url(idOf(SHOWN), 'cursor=x'), 400, 'INVALID_CURSOR'],
  ])('%s is refused', async (asked, statusCode, code) => {
    expect((await it.get(asked)).json()).toMatchObject({ statusCode, code })
  })

  test('no cursor is valid for another order, or another moment', async () => {
    const { nextCursor } = await page(idOf(SHOWN), 'limit=1')
    for (const other of [
      url(idOf(HIDDEN), `cursor=${nextCursor}`),
      url(idOf(SHOWN), `at=900000&cursor=${nextCursor}`),
    ])
      expect((await it.get(other)).json()).toMatchObject({ code: 'INVALID_CURSOR' })
  })

  test('of an order whose last change is not in the history yet: waited for, as its page shows it', async () => {
    let looks = 0
    const lastSeq = async () => {
      looks += 1
      return looks > 3 ? SHOWN.length : SHOWN.length - 1
    }
    const other = await openTestApp({
      ports: { history: { activity: history.activity.bind(history), lastSeq }, versions },
    })
    await other.gateway.views.apply({ partition: 0, nextOffset: 0, records: [...SHOWN] })
    const { versions: shown } = (await other.get(url(idOf(SHOWN), 'limit=100'))).json()
    expect(shown).toHaveLength(SHOWN.length)
    expect(looks).toBe(4)
    await other.close()
  })

  test('while the history is unavailable: 503', async () => {
    const other = await openTestApp()
    const { id } = await other.seed()
    expect((await other.get(url(id))).json()).toMatchObject({
      statusCode: 503,
      code: 'HISTORY_UNAVAILABLE',
    })
    await other.close()
  })
})

function unproved(): UnprovedOrder {
  const [order] = bookOf(1, 99)
  const change = { reason: 'signature_unverifiable', actor: 'reconciler' }
  const [createdAt, updatedAt] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z']
  return {
    order: { ...order!, state: 'REJECTED', createdAt, updatedAt },
    changes: [
      { ...change, fromState: null, toState: 'PENDING_NODE', observedAt: createdAt },
      { ...change, fromState: 'PENDING_NODE', toState: 'REJECTED', observedAt: updatedAt },
    ],
    client: '192.0.2.1',
    importedAt: Date.now(),
    lookAt: null,
  }
}
