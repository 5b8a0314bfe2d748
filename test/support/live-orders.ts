import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'

type Get = (path: string) => Promise<OrderPage>

/** Every LIVE order, page by page. */
export async function* liveOrders(get: Get): AsyncGenerator<OrderSummary> {
  let cursor = ''
  do {
    const after = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page = await get(`orders?state=LIVE&limit=200${after}`)
    yield* page.orders
    cursor = page.nextCursor
  } while (cursor)
}

/**
 * How many LIVE orders can be handed off and were, in effect, verified after this moment: by
 * themselves, or by a watermark that vouches for them.
 */
export async function countFresh(get: Get, sinceMs: number): Promise<number> {
  let fresh = 0
  for await (const { actionability, validation } of liveOrders(get))
    if (actionability === 'HANDOFF_READY' && Date.parse(validation.checkedAt) > sinceMs) fresh += 1
  return fresh
}

/** Milliseconds until that many are fresh since now; throws when it takes longer than `withinMs`. */
export async function timeToFresh(
  get: Get,
  { orders, sinceMs = Date.now(), withinMs = 60_000 }: Expected,
): Promise<number> {
  for (;;) {
    const fresh = await countFresh(get, sinceMs)
    const took = Date.now() - sinceMs
    if (fresh >= orders) return took
    if (took > withinMs) throw new Error(`${fresh} of ${orders} orders were fresh after ${took} ms`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

interface Expected {
  orders: number
  /** Unix milliseconds; now. */
  sinceMs?: number
  withinMs?: number
}

const PAUSE_MS = 100
