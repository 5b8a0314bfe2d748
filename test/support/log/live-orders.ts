import type { OrderPage, OrderSummary } from '../../../src/schemas/order.ts'

type Get = <T>(path: string) => Promise<T>

/** Every LIVE order, page by page. */
export async function* liveOrders(get: Get): AsyncGenerator<OrderSummary> {
  let cursor = ''
  do {
    const after = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page = await get<OrderPage>(`orders?state=LIVE&limit=200${after}`)
    yield* page.orders
    cursor = page.nextCursor
  } while (cursor)
}

/**
 * How many LIVE orders can be handed off and were, in effect, verified after this moment: by
 * themselves, or by a watermark that covers them.
 */
export async function countFresh(get: Get, sinceMs: number): Promise<number> {
  let fresh = 0
  for await (const order of liveOrders(get)) if (isFresh(order, sinceMs)) fresh += 1
  return fresh
}

const isFresh = ({ actionability, validation }: OrderSummary, sinceMs: number): boolean =>
  actionability === 'HANDOFF_READY' && Date.parse(validation.checkedAt) > sinceMs

/**
 * Milliseconds until that many are LIVE and fresh since now; throws when it takes longer than
 * `withinMs`. The book is walked once, and then only stale orders are read again: the walk is not
 * measured.
 */
export async function timeToFresh(
  get: Get,
  { orders, sinceMs = Date.now(), withinMs = 60_000 }: Expected,
): Promise<number> {
  const until = async (wanted: () => Promise<string | null>) => {
    for (;;) {
      const missing = await wanted()
      const took = Date.now() - sinceMs
      if (missing === null) return took
      if (took > withinMs) throw new Error(`after ${took} ms ${missing}`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
  await until(async () => {
    const { total } = await get<OrderPage>('orders?state=LIVE&limit=1')
    return total >= orders ? null : `${total} of ${orders} orders were LIVE`
  })
  let stale: string[] = []
  for await (const order of liveOrders(get)) if (!isFresh(order, sinceMs)) stale.push(order.id)
  return until(async () => {
    const now = await Promise.all(stale.map((id) => get<OrderSummary>(`orders/${id}`)))
    stale = now.filter((order) => !isFresh(order, sinceMs)).map(({ id }) => id)
    return stale.length === 0 ? null : `${stale.length} of ${orders} orders were not fresh`
  })
}

interface Expected {
  orders: number
  /** Unix milliseconds; default now. */
  sinceMs?: number
  withinMs?: number
}

const PAUSE_MS = 100
