import { expect, test } from 'vitest'
import { readContent } from '../../src/gateway/reading/read-content.ts'
import type { OrderQuery, StoredOrder } from '../../src/ports/views/order-views.ts'
import { orderOf } from '../support/orders/orders.ts'

const ID = `${'c'.repeat(64)}i0`
const SHOWN = { mediaType: 'text/plain', body: Buffer.from('shown'), tag: 'tag' }

const order = (offers: boolean): StoredOrder => ({
  order: orderOf({
    assets: offers
      ? [{ inscriptionId: ID, outpoint: { txid: 'd'.repeat(64) as never, vout: 0 } }]
      : [],
  }),
  partition: 0,
  freshness: null,
})

/** Orders that name the inscription; the one at `at` offers it, none of them is LIVE or hidden. */
async function read(count: number, at: number) {
  const limits: number[] = []
  const orders = Array.from({ length: count }, (_, n) => order(n === at))
  const page = async ({ hidden, states, limit, after }: OrderQuery) => {
    limits.push(limit)
    const matching = hidden || states ? [] : orders
    const from = Number(after?.id ?? 0)
    const next = from + limit < matching.length ? { value: null, id: `${from + limit}` } : null
    return { orders: matching.slice(from, from + limit), total: matching.length, next }
  }
  const contents = { read: async () => SHOWN }
  const answer = await readContent(
    { contents } as never,
    { page } as never,
    ID,
    new AbortController().signal,
  ).catch((error: unknown) => (error as { code: string }).code)
  return { answer, limits }
}

test.each([
  [0, 1],
  [49, 1],
  [50, 2],
  [99, 2],
])('an inscription that order %i of its own offers is shown', async (at, pages) => {
  const { answer, limits } = await read(120, at)
  expect(answer).toBe(SHOWN)
  // The hidden ones, the LIVE ones, and then as many pages; none is larger than a usual one.
  expect(limits).toHaveLength(2 + pages)
  expect(Math.max(...limits)).toBe(50)
})

test('no more than a hundred orders are looked at', async () => {
  expect(await read(120, 100)).toMatchObject({ answer: 'CONTENT_NOT_FOUND' })
  expect((await read(1_000, -1)).limits).toHaveLength(4)
})
