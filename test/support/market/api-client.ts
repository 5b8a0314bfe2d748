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
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  order(id: string): Promise<OrderSummary>
  /** Polls until the order is as wanted; throws with its last version. */
  orderUntil(id: string, wanted: (order: OrderSummary) => boolean): Promise<OrderSummary>
}

const POLL_MS = 50
const PATIENCE_MS = 20_000

/** The API of a gateway in another process; a request that it sheds is repeated, as by a client. */
export function openApiClient(address: string): ApiClient {
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const url = path.startsWith('/') ? `${address}${path}` : `${address}/api/market/${path}`
    const answer = await fetchUnlessShed(url, init)
    const text = await answer.text()
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
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        ...(body === undefined
          ? { headers }
          : {
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify(body),
            }),
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
