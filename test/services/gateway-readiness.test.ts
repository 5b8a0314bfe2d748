import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningRole, runSingleRole } from '../../src/roles/single-role.ts'
import type { ReadinessReport } from '../../src/schemas/api/health.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { QUICK, Scraper } from '../support/alerts/scraper.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { LiveLifecycle } from '../support/log/live-lifecycle.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { movedClock } from '../support/moved-clock.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { outcomeOf } from '../support/orders/order-changes.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { freePort, waitUntil } from '../support/services/programs.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock } from '../support/system-clock.ts'

// production A1: a gateway that can answer reads gets traffic, whatever else is away. The test plays
// actors and projector.

const PARTITIONS = 2
const MINUTE_MS = 60_000
const [order, ...others] = bookOf(8, 5)
  .filter(({ hidden }) => hidden === undefined)
  .map((one) => ({ ...one, state: 'LIVE' as const }))

let kafka: KafkaServer
let redis: RedisServer
let opened: OpenedKafkaLog
let views: Awaited<ReturnType<typeof openRedisViews>>
let lifecycle: LiveLifecycle
let gateway: RunningRole
let config: Config
const clock = movedClock()
const directory = temporaryDirectory()

beforeAll(async () => {
  ;[kafka, redis] = await Promise.all([KafkaServer.start(), RedisServer.start()])
  opened = await openKafkaLog(kafka, { partitions: PARTITIONS })
  views = await openRedisViews(redis.url, { clock: systemClock, partitions: PARTITIONS })
  lifecycle = new LiveLifecycle(opened.log, views.views)
  config = Config.parse({
    ROLE: 'gateway',
    BITCOIN_NETWORK: 'regtest',
    // No node listens there, and no index and history below.
    BITCOIN_RPC_URL: `http://127.0.0.1:${await freePort()}`,
    BITCOIN_RPC_USER: 'market',
    BITCOIN_RPC_PASSWORD: 'nothing',
    KAFKA_BROKERS: kafka.broker,
    KAFKA_PREFIX: opened.prefix,
    REDIS_URL: redis.url,
    ASSET_INDEX_URL: `http://127.0.0.1:${await freePort()}`,
    CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}`,
    CURSOR_KEY: 'k'.repeat(32),
    ORDER_PARTITIONS: String(PARTITIONS),
    RATE_LIMIT_READ: '100000',
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: directory.path,
    LOG_LEVEL: 'silent',
  })
  gateway = await runSingleRole({ ...config, ROLE: 'gateway' }, { clock })
  for (const one of [order, ...others]) if (one) await lifecycle.write(one)
  await waitUntil(
    'the orders are shown',
    async () => (await list()).body.total === others.length + 1,
  )
})
afterAll(async () => {
  await gateway?.close()
  await lifecycle?.close()
  views?.close()
  await opened?.close()
  await Promise.all([kafka?.stop(), redis?.stop()])
  directory.drop()
})

async function get<T>(path: string, { address } = gateway): Promise<{ status: number; body: T }> {
  const answer = await fetchUnlessShed(`${address}${path}`)
  return { status: answer.status, body: (await answer.json()) as T }
}
const ready = (of = gateway) => get<ReadinessReport>('/readyz', of)
const list = (of = gateway) =>
  get<OrderPage>('/api/market/orders?includeWithdrawn=true&limit=200', of)
const isDegradedBy = async (reason: string, of = gateway): Promise<boolean> => {
  const { status, body } = await ready(of)
  return status === 200 && body.degraded.some((one) => one.startsWith(reason))
}

test('without node, index and history a gateway is ready, and names them', async () => {
  const { status, body } = await ready()
  expect(status).toBe(200)
  expect(body.degraded.join()).toMatch(/history_unavailable.*node_unavailable.*index_unavailable/)
})

/** Appends 1,200 records of the lifecycle; returns their partition. */
async function appendMany(): Promise<number> {
  const partition = lifecycle.partitionOf(order?.id ?? '')
  const records = Array.from({ length: 1_200 }, (_, n) => {
    const value = outcomeOf(`r${n}`, order?.id ?? expect.fail())
    return { topic: TOPICS.lifecycle, partition, key: value.orderId, value }
  })
  await opened.log.append(records)
  return partition
}

test('views that are more than 1,000 records behind leave it ready', async () => {
  await lifecycle.close()
  const partition = await appendMany()
  await waitUntil('it says so', () => isDegradedBy(`views_behind: partition ${partition} by 1`))
  expect((await list()).status).toBe(200)
})

test('they raise the alert while the projector cannot write them, and it rests once it can', async () => {
  const { path: DATA_DIR, drop } = temporaryDirectory()
  const projector = await runSingleRole({ ...config, DATA_DIR, ROLE: 'projector' })
  const setMemory = (bytes: string) => redis.admin.config('SET', 'maxmemory', bytes)
  try {
    await waitUntil('it has caught up', async () => !(await isDegradedBy('views_behind')))
    await using scraper = Scraper.of(
      [{ name: 'projector', role: 'projector', ...projector }],
      QUICK,
    )
    await scraper.until(['MarketViewsBehind'], false, MINUTE_MS)
    await setMemory('1kb')
    await appendMany()
    await scraper.until(['MarketViewsBehind'], true, MINUTE_MS)
    await setMemory('0')
    await scraper.until(['MarketViewsBehind'], false, MINUTE_MS)
  } finally {
    await setMemory('0')
    await projector.close()
    drop()
  }
})

describe('while the broker is away', () => {
  let late: RunningRole
  beforeAll(() => kafka.halt())
  afterAll(() => late?.close())

  const isRefused = async ({ address }: RunningRole, method: string, path: string) => {
    const refused = await fetchUnlessShed(`${address}/api/market/${path}`, { method })
    expect(await refused.json()).toMatchObject({ statusCode: 503, code: 'STORAGE_UNAVAILABLE' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }

  test('reads are answered for an hour, and it is ready; a POST that needs the log is 503', async () => {
    const before = (await list()).body
    for (let minute = 0; minute <= 60; minute += 10) {
      const { status, body } = await ready()
      expect([status, body.degraded.join()]).toEqual([
        200,
        expect.stringContaining('log_unavailable'),
      ])
      const { status: listed, body: page } = await list()
      expect([listed, page.total]).toEqual([200, before.total])
      expect((await get(`/api/market/orders/${order?.id}`)).status).toBe(200)
      clock.move(10 * MINUTE_MS)
    }
    await isRefused(gateway, 'POST', `orders/${order?.id}/revalidate`)
  })

  test('another starts, and answers reads', async () => {
    const before = (await list()).body
    late = await runSingleRole({ ...config, ROLE: 'gateway' })
    await waitUntil('it is ready', () => isDegradedBy('log_unavailable', late))
    expect((await list(late)).body.total).toBe(before.total)
    await isRefused(late, 'POST', `orders/${order?.id}/revalidate`)
    await isRefused(late, 'GET', 'activity/stream')
  })

  test('they are level again once the broker is back', async () => {
    await kafka.resume()
    for (const one of [gateway, late]) {
      await waitUntil('the log answers', async () => !(await isDegradedBy('log_unavailable', one)))
      await waitUntil('streams open', async () => {
        const { status, body } = await fetchUnlessShed(`${one.address}/api/market/activity/stream`)
        await body?.cancel()
        return status === 200
      })
    }
  })
})

describe('is taken out of traffic', () => {
  const isAwayFor = async (reason: string): Promise<boolean> => {
    const { status, body } = await get<{ message: string | string[] }>('/readyz')
    return status === 503 && [body.message].flat().includes(reason)
  }

  test('by a Redis that accepts no writes: after one request whose count failed none is answered', async () => {
    await redis.admin.config('SET', 'maxmemory', '1kb')
    await waitUntil('it is not ready', () => isAwayFor('storage_unavailable'))
    // Counted while it is served: the index finds its orders without a write.
    await list()
    for (let again = 0; again < 3; again += 1) expect((await list()).status).toBe(503)
    await redis.admin.config('SET', 'maxmemory', '0')
    await waitUntil('it is ready again', async () => (await ready()).status === 200)
    expect((await list()).status).toBe(200)
  })

  test('by a Redis that is away', async () => {
    await redis.halt()
    await waitUntil('it is not ready', () => isAwayFor('storage_unavailable'))
  })
})
