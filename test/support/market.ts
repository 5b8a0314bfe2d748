import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Running, runAll, type Surroundings } from '../../src/roles/all.ts'
import { Config } from '../../src/schemas/config.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'

export interface Answer {
  status: number
  headers: Headers
  body: never
}

/** A gateway, spoken to over HTTP. */
export interface ApiClient {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  order(id: string): Promise<OrderSummary>
  /** Polls until the order is as wanted; throws with what it was last. */
  orderUntil(id: string, wanted: (order: OrderSummary) => boolean): Promise<OrderSummary>
}

/** The whole service of one process, on a folder of its own, spoken to over HTTP. */
export interface Market extends Running, ApiClient {
  config: Config
  dataDir: string
  /** Ends the service and keeps its folder. */
  stop(): Promise<void>
  /** Ends the service and removes its folder. */
  end(): Promise<void>
}

const POLL_MS = 50
/** The tests share the event loop of the service and may overload it: then they come again. */
const OVERLOADED_MS = 500
const PATIENCE_MS = 20_000

export async function openMarket(
  variables: Record<string, string> = {},
  {
    dataDir = mkdtempSync(join(tmpdir(), 'market-')),
    ...around
  }: Surroundings & { dataDir?: string } = {},
): Promise<Market> {
  const config = Config.parse({
    DATA_DIR: dataDir,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ORDER_PARTITIONS: '4',
    RATE_LIMIT_IMPORT: '100000',
    RATE_LIMIT_REVALIDATE: '100000',
    RATE_LIMIT_BUILD: '100000',
    RATE_LIMIT_PUBLISH: '100000',
    RATE_LIMIT_ARTIFACT: '100000',
    RATE_LIMIT_PORTABLE_EVENT: '100000',
    ...variables,
  })
  const running = await runAll(config, around)
  const stop = () => running.close()
  return {
    ...running,
    config,
    dataDir,
    ...openApiClient(running.address),
    stop,
    end: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The API of a gateway that runs somewhere. */
export function openApiClient(address: string): ApiClient {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const url = path.startsWith('/') ? `${address}${path}` : `${address}/api/market/${path}`
    const answer = await fetch(url, init)
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
  const get = (path: string) => ask(path, {})
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
