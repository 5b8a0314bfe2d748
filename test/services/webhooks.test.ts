import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisWebhookProgress } from '../../src/adapters/redis/webhook-progress.ts'
import { createWebhook } from '../../src/gateway/webhooks/hand-out-secrets.ts'
import {
  listWebhooks,
  pauseWebhook,
  type WebhookOffice,
} from '../../src/gateway/webhooks/manage-webhooks.ts'
import { gatewaySettings } from '../../src/roles/parts/gateway.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { CreateWebhook } from '../../src/schemas/webhooks/webhook-api.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { LiveLifecycle } from '../support/log/live-lifecycle.ts'
import { bookOf, STATES } from '../support/orders/order-book.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { freePort, waitUntil } from '../support/services/programs.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { ServiceProcess } from '../support/services/service-process.ts'
import { systemClock as clock } from '../support/system-clock.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts'

// Two processes that send webhooks, on the same Kafka and Redis; the test plays actors and gateway.

const PARTITIONS = 4
const KEY = 'k'.repeat(32)
const orders = bookOf(12, 5)

let bundle: Bundle
let kafka: KafkaServer
let redis: RedisServer
let opened: OpenedKafkaLog
let views: Awaited<ReturnType<typeof openRedisViews>>
let lifecycle: LiveLifecycle
let receiver: WebhookReceiver
let office: WebhookOffice
const directory = temporaryDirectory()
const senders = new Set<Sender>()

interface Sender {
  process: ServiceProcess
  metrics: string
}

beforeAll(async () => {
  const starting = [KafkaServer.start(), RedisServer.start(), bundleService()] as const
  ;[kafka, redis, bundle] = await Promise.all(starting)
  opened = await openKafkaLog(kafka, { partitions: PARTITIONS })
  views = await openRedisViews(redis.url, { clock, partitions: PARTITIONS })
  lifecycle = new LiveLifecycle(opened.log, views.views)
  receiver = await openWebhookReceiver()
  office = {
    log: opened.log,
    progress: new RedisWebhookProgress(views.keyspace),
    clock,
    settings: gatewaySettings(Config.parse({})),
    keys: [Buffer.from(KEY)],
    loopback: true,
    lookUp: async () => [],
  }
})
afterAll(async () => {
  await Promise.all([...senders].map(({ process }) => process.end('SIGKILL')))
  await lifecycle?.close()
  await receiver?.close()
  views?.close()
  await opened?.close()
  await Promise.all([kafka?.stop(), redis?.stop()])
  bundle?.drop()
  directory.drop()
})

async function startSender(name: string): Promise<Sender> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const process = new ServiceProcess(bundle, ['start'], {
    ROLE: 'webhooks',
    BITCOIN_NETWORK: 'regtest',
    KAFKA_BROKERS: kafka.broker,
    KAFKA_PREFIX: opened.prefix,
    REDIS_URL: redis.url,
    ORDER_PARTITIONS: String(PARTITIONS),
    WEBHOOK_KEY: KEY,
    WEBHOOK_LOOPBACK: 'true',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: join(directory.path, name),
  })
  const sender = { process, metrics: `http://127.0.0.1:${metricsPort}/metrics` }
  senders.add(sender)
  await process.saying(/^market runs as webhooks:/m)
  await waitUntil('it is ready', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    return answer?.status === 200
  })
  return sender
}

/** Does a sender have lanes of an endpoint? */
const hasLanes = async ({ metrics }: Sender, name: string): Promise<boolean> =>
  (await (await fetch(metrics)).text()).includes(`market_webhooks_lag_records{webhook="${name}"}`)

const told: string[] = []
async function write(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const order = orders[told.length % orders.length] ?? expect.fail('the book is empty')
    const state = STATES[told.length % STATES.length] ?? 'LIVE'
    const { seq } = await lifecycle.write(order, { state }, 'transition')
    told.push(`${order.id}:${seq}`)
  }
}
const ofEach = (ids: readonly string[]) =>
  orders.map(({ id }) => ids.filter((one) => one.startsWith(id)))
const arrivedAt = (path: string) => [
  ...new Set(receiver.received.filter((one) => one.path === path).map(({ id }) => id)),
]
const create = async (name: string) => {
  const url = receiver.url(`/${name}`)
  const filter = { includeWithdrawn: true }
  const { secret } = await createWebhook(office, CreateWebhook.parse({ name, url, filter }))
  receiver.secrets.set(`/${name}`, secret)
}

test('two processes share the partitions; one that is killed in a delivery loses nothing, nor its order', async () => {
  const [one, two] = await Promise.all([startSender('one'), startSender('two')])
  await create('all')
  await waitUntil(
    'both send',
    async () => (await hasLanes(one, 'all')) && (await hasLanes(two, 'all')),
  )
  await write(24)
  await waitUntil('all has arrived', async () => arrivedAt('/all').length === told.length)
  // The next request is never answered: the process that sent it is killed.
  let left = 6
  receiver.answer = (_one, response) => {
    left -= 1
    if (left === 0) void one.process.end('SIGKILL')
    else if (left > 0 || left < -1) response.writeHead(204).end()
  }
  await write(24)
  await waitUntil(
    'the other has sent the rest',
    async () => arrivedAt('/all').length === told.length,
  )
  left = 3
  receiver.answer = (_one, response) => {
    left -= 1
    if (left === 0) void two.process.end('SIGKILL')
    else response.writeHead(204).end()
  }
  await write(12)
  await waitUntil('the other is dead too', async () => left <= 0)
  receiver.answer = (_one, response) => void response.writeHead(204).end()
  const three = await startSender('three')
  await waitUntil(
    'its successor has sent the rest',
    async () => arrivedAt('/all').length === told.length,
  )
  expect(ofEach(arrivedAt('/all'))).toEqual(ofEach(told))
  // Its log has neither secrets nor URLs.
  const logged = three.process.stdout
  expect(logged).not.toContain('whsec_')
  expect(logged).not.toContain(receiver.url())
})

test('while Redis is unavailable nothing is lost, and a paused endpoint continues where it was', async () => {
  await pauseWebhook(office, 'all', true)
  await create('late')
  await redis.halt()
  await redis.restart()
  const before = told.length
  await write(12)
  await waitUntil('the new one has all of it', async () => arrivedAt('/late').length === 12)
  expect(arrivedAt('/all')).toHaveLength(before)
  await pauseWebhook(office, 'all', false)
  await waitUntil('the other too', async () => arrivedAt('/all').length === told.length)
  expect(ofEach(arrivedAt('/all'))).toEqual(ofEach(told))
  expect((await listWebhooks(office)).webhooks.map(({ name, paused }) => [name, paused])).toEqual([
    ['all', null],
    ['late', null],
  ])
})
