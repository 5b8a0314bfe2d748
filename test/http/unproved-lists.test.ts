import { afterEach, expect, test } from 'vitest'
import { OrderPage } from '../../src/schemas/order.ts'
import type { UnprovedOrder } from '../../src/schemas/unproved.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toOrderId, toOutpointText } from '../support/ids.ts'
import { orderOf } from '../support/orders/orders.ts'

let it: TestApp
afterEach(() => it.close())

/** More than a step of the pool's list. */
const ENTRIES = 150

function entryAt(n: number, now: number): UnprovedOrder {
  const createdAt = new Date(now - n * 1_000).toISOString()
  const order = orderOf({
    id: toOrderId(n.toString(16).padStart(64, '0')),
    outpoint: toOutpointText(`${n.toString(16).padStart(64, 'a')}:0`),
    state: 'REJECTED',
    createdAt,
    updatedAt: createdAt,
  })
  return { order, changes: [], client: `203.0.113.${n}`, importedAt: now, lookAt: null }
}

async function listed(state: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ state, limit: '200', ...(cursor && { cursor }) })
    const page = OrderPage.parse((await it.get(`/api/market/orders?${query}`)).json())
    ids.push(...page.orders.map(({ id }) => id))
    cursor = page.nextCursor
    if (cursor === '') return ids
  }
}

test('entries of the pool that are dropped while a list is read cut off none of the others', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  const entries = Array.from({ length: ENTRIES }, (_, n) => entryAt(n, clock.now()))
  await Promise.all(entries.map((entry) => pool.put(entry, clock.now())))
  expect(await listed('REJECTED')).toHaveLength(ENTRIES)
  const list = pool.list.bind(pool)
  pool.list = async (query, now) => (await list(query, now)).slice(1)
  const [first, ...rest] = await listed('REJECTED')
  expect(first).toBeDefined()
  expect(rest.at(-1)).toBe(entries.at(-1)?.order.id)
})

test('an entry whose state changed while a list was read is not in it', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  await pool.put(entryAt(1, clock.now()), clock.now())
  const list = pool.list.bind(pool)
  pool.list = async (query, now) =>
    (await list(query, now)).map((entry) => ({
      ...entry,
      order: { ...entry.order, state: 'PENDING_NODE' },
    }))
  expect(await listed('REJECTED')).toEqual([])
})
