import { afterEach, expect, test } from 'vitest'
import { OrderPage } from '../../src/schemas/order.ts'
import type { OfferClaim } from '../../src/schemas/order-record.ts'
import { type OrderState, Source } from '../../src/schemas/scalars.ts'
import type { UnprovedOrder } from '../../src/schemas/unproved.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toOrderId, toOutpointText } from '../support/ids.ts'
import { bidClaim } from '../support/orders/evidence.ts'
import { orderOf } from '../support/orders/orders.ts'

let it: TestApp
afterEach(() => it.close())

/** More than a step of the pool's list. */
const ENTRIES = 150

function entryAt(
  n: number,
  now: number,
  state: OrderState = 'REJECTED',
  claim?: OfferClaim,
): UnprovedOrder {
  const createdAt = new Date(now - n * 1_000).toISOString()
  const facts = {
    id: toOrderId(n.toString(16).padStart(64, '0')),
    outpoint: toOutpointText(`${n.toString(16).padStart(64, 'a')}:0`),
    state,
    createdAt,
    updatedAt: createdAt,
  }
  const order = orderOf(facts, claim)
  return { order, changes: [], client: `203.0.113.${n}`, importedAt: now, lookAt: null }
}

/** While the pool changes: a total is then that of a moment. */
const listed = async (state: string): Promise<string[]> =>
  (await walked({ state, limit: '200' })).ids

/** The ids of every page, each of which counts all of them. */
async function found(filters: Record<string, string>): Promise<string[]> {
  const { ids, totals } = await walked(filters)
  expect(totals, JSON.stringify(filters)).toEqual(new Set([ids.length]))
  return ids
}

async function walked(filters: Record<string, string>) {
  const ids: string[] = []
  const totals = new Set<number>()
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ ...filters, ...(cursor && { cursor }) })
    const page = OrderPage.parse((await it.get(`/api/market/orders?${query}`)).json())
    ids.push(...page.orders.map(({ id }) => id))
    totals.add(page.total)
    cursor = page.nextCursor
    if (cursor === '') return { ids, totals }
  }
}

test('entries of the pool that are dropped while a list is read cut off none of the others', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  const entries = Array.from({ length: ENTRIES }, (_, n) => entryAt(n, clock.now()))
  await Promise.all(entries.map((entry) => pool.put(entry, null, clock.now())))
  expect(await listed('REJECTED')).toHaveLength(ENTRIES)
  const list = pool.list.bind(pool)
  pool.list = async (query, now) => (await list(query, now)).slice(1)
  const [first, ...rest] = await listed('REJECTED')
  expect(first).toBeDefined()
  expect(rest.at(-1)).toBe(entries.at(-1)?.order.id)
})

test('unproved orders are listed by the states that a query names, and by no other filter', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  const entries = Array.from({ length: 12 }, (_, n) =>
    entryAt(n, clock.now(), n % 3 === 0 ? 'PENDING_NODE' : 'REJECTED'),
  )
  await Promise.all(entries.map((entry) => pool.put(entry, null, clock.now())))
  const ids = (of: OrderState | null) =>
    entries.flatMap(({ order }) => (of === null || order.state === of ? [order.id] : []))
  const { source } = entries[0]!.order.sources[0]!
  const [other] = Source.options.filter((one) => one !== source)
  for (const filters of [{}, { source }, { includeWithdrawn: 'true' }, { signature: 'VALID' }])
    expect(await found(filters), JSON.stringify(filters)).toEqual([])
  const states = 'REJECTED,PENDING_NODE'
  expect(await found({ states })).toEqual(ids(null))
  expect(await found({ states, limit: '1' })).toEqual(ids(null))
  expect(await found({ states, sort: 'oldest', limit: '5' })).toEqual(ids(null).reverse())
  expect(await found({ states, source })).toEqual(ids(null))
  expect(await found({ states, source: other! })).toEqual([])
  expect(await found({ states: 'LIVE,REJECTED' })).toEqual(ids('REJECTED'))
  expect(await found({ states, state: 'PENDING_NODE' })).toEqual(ids('PENDING_NODE'))
})

test('a total counts the unproved orders that pass every filter, among the first of the pool', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  const entries = Array.from({ length: 450 }, (_, n) =>
    entryAt(n, clock.now(), 'REJECTED', n === 7 ? undefined : bidClaim()),
  )
  await Promise.all(entries.map((entry) => pool.put(entry, null, clock.now())))
  const states = 'REJECTED'
  expect(await found({ states, side: 'ASK' })).toEqual([entries[7]?.order.id])
  expect((await walked({ states, sort: 'price_asc' })).totals).toEqual(new Set([0]))
  const bids = await walked({ states, side: 'BID' })
  expect(bids.ids).toHaveLength(449)
  expect(bids.totals).toEqual(new Set([399]))
})

test('an entry whose state changed while a list was read is not in it', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  await pool.put(entryAt(1, clock.now()), null, clock.now())
  const list = pool.list.bind(pool)
  pool.list = async (query, now) =>
    (await list(query, now)).map((entry) => ({
      ...entry,
      order: { ...entry.order, state: 'PENDING_NODE' },
    }))
  expect(await listed('REJECTED')).toEqual([])
})

test('an order that enters the log while a list is read is on it, once', async () => {
  it = await openTestApp()
  const { pool, clock } = it.gateway
  const entry = entryAt(1, clock.now())
  await pool.put(entry, null, clock.now())
  const list = pool.list.bind(pool)
  pool.list = async (query, now) => {
    const entries = await list(query, now)
    if (!(await it.gateway.views.answer(entry.order.id)))
      await it.seed({ ...entry.order, state: 'LIVE' })
    return entries
  }
  expect(await found({ states: 'REJECTED,LIVE' })).toEqual([entry.order.id])
  expect(await found({ states: 'REJECTED,LIVE' })).toEqual([entry.order.id])
})

test.each(['REJECTED', 'PENDING_NODE'] as const)(
  'an entry that becomes %s while a list of both states is read is on it once, as it is then',
  async (state) => {
    it = await openTestApp()
    const { pool, clock } = it.gateway
    const before = state === 'REJECTED' ? 'PENDING_NODE' : 'REJECTED'
    const entry = entryAt(1, clock.now(), before)
    const after = { ...entry, order: { ...entry.order, state, seq: entry.order.seq + 1 } }
    await pool.put(entry, null, clock.now())
    const list = pool.list.bind(pool)
    let isBefore = Promise.resolve()
    pool.list = async (query, now) => {
      if (query.state === before) {
        const entries = await list(query, now)
        isBefore = pool.put(after, entry, now).then(() => undefined)
        return entries
      }
      while (!(await pool.find(entry.order.id, now).then((one) => one?.order.state === state)))
        await isBefore
      return await list(query, now)
    }
    const page = await it.get('/api/market/orders?states=PENDING_NODE,REJECTED')
    const shown = OrderPage.parse(page.json()).orders.map(({ id, ...order }) => [id, order.state])
    expect(shown).toEqual([[entry.order.id, state]])
  },
)
