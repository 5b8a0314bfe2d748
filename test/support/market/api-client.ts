import type { OrderSummary } from '../../../src/schemas/order.ts'
import { fetchUnlessShed } from './fetch-unless-shed.ts'

export interface Answer {
  status: number
  headers: Headers
  body: never
}

/** A client of a gateway over HTTP. */
export interface ApiClient {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  order(id: string): Promise<OrderSummary>
  /** Polls until the order is as wanted; throws with its last version. */
  orderUntil(id: string, wanted: (order: OrderSummary) => boolean): Promise<OrderSummary>
}

const POLL_MS = 50
/** Tests may overload a service: then requests are retried, as a client would. */
const OVERLOADED_MS = 500
const PATIENCE_MS = 20_000

/** The API of a gateway in another process. */
export function openApiClient(address: string): ApiClient {
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const url = path.startsWith('/') ? `${address}${path}` : `${address}/api/market/${path}`
    const answer = await fetchUnlessShed(url, init)
    const text = await answer.text()
    if (answer.status === 503 && text.includes('"OVERLOADED"')) {
      await new Promise((resolve) => setTimeout(resolve, OVERLOADED_MS))
      return ask(path, init)
    }
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text ? JSON.parse(text) : null) as never,
    }
  }
  const get = (path: string) => ask(path)
  const order = async (id: string) => (await get(`orders/${id}`)).body as OrderSummary
  return {
    get,
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
    order,
    orderUntil: async (id, wanted) => {
      const until = performance.now() + PATIENCE_MS
      for (;;) {
        const now = await order(id)
        if (wanted(now)) return now
        if (performance.now() > until) {
          throw new Error(`order ${id} stayed ${now.state} (${now.validation?.reasons})`)
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
  }
}
