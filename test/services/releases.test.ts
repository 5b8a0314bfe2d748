import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LATER_TOPICS } from '../../src/adapters/kafka/client/names.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { ClickHouseServer, WRITER } from '../support/clickhouse/server.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openApiClient } from '../support/market/api-client.ts'
import {
  answersIn,
  answersTo,
  type ReleaseFixture,
  redisKeysIn,
  releaseFixtures,
  spenderIn,
} from '../support/releases/fixtures.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { freePort } from '../support/services/programs.ts'
import { RedisServer } from '../support/services/redis.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

// What each release left in Kafka and Redis, read by this build: with the views that it left, and with
// views and history made of the log alone. No node and no index is needed for that.

/** Views and history are filled while they are read. */
const PATIENT = { timeout: 60_000 }

const room = temporaryDirectory()
let bundle: Bundle
let kafka: KafkaServer
let redis: RedisServer
let clickhouse: ClickHouseServer

beforeAll(async () => {
  ;[bundle, kafka, redis, clickhouse] = await Promise.all([
    bundleService(),
    KafkaServer.start(),
    RedisServer.start(),
    ClickHouseServer.start(),
  ])
})
afterAll(async () => {
  await Promise.all([kafka?.stop(), redis?.stop(), clickhouse?.stop()])
  bundle?.drop()
  room.drop()
})

describe.each(releaseFixtures())('$version', (fixture: ReleaseFixture) => {
  const variables = () => ({
    BITCOIN_NETWORK: 'regtest',
    BITCOIN_RPC_URL: 'http://127.0.0.1:9',
    BITCOIN_RPC_USER: 'market',
    BITCOIN_RPC_PASSWORD: 'away',
    ASSET_INDEX_URL: 'http://127.0.0.1:9',
    KAFKA_BROKERS: kafka.broker,
    KAFKA_PREFIX: `${fixture.version}.`,
    REDIS_URL: redis.url,
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_USER: WRITER.user,
    CLICKHOUSE_PASSWORD: WRITER.password,
    CURSOR_KEY: '00'.repeat(32),
    ORDER_PARTITIONS: '4',
    LOG_LEVEL: 'silent',
    DATA_DIR: join(room.path, fixture.version),
  })
  const role = (name: 'projector' | 'gateway', port = 0) =>
    new ServiceProcess(bundle, ['start'], {
      ...variables(),
      DATA_DIR: join(room.path, fixture.version, name),
      ROLE: name,
      PORT: String(port),
      METRICS_PORT: '0',
    })

  async function answersAsItDid(): Promise<void> {
    const port = await freePort()
    await using projector = role('projector')
    await using gateway = role('gateway', port)
    await projector.saying(/^market runs as projector:/m)
    await gateway.saying(/^market runs as gateway:/m)
    const market = openApiClient(`http://127.0.0.1:${port}`)
    const left = answersIn(fixture.logAnswers)
    const { answers, closed, hidden, listed } = left
    const now = () => answersTo(market, Object.keys(answers))
    await expect.poll(now, PATIENT).toEqual(answers)
    const idsNow = async () => {
      const { body } = await market.get('orders?limit=100&includeWithdrawn=true')
      return (body as { orders?: { id: string }[] }).orders?.map(({ id }) => id).toSorted()
    }
    await expect.poll(idsNow, PATIENT).toEqual(listed)
    expect(listed).not.toContain(hidden)
    // Rows of 0.9 lack what spent their order.
    const found = async () => (await market.get(`orders?search=${spenderIn(left)}`)).body
    await expect.poll(found, PATIENT).toMatchObject({ total: 1, orders: [{ id: closed }] })
  }

  test('its log is restored', async () => {
    const restored = await runMarket(bundle, ['restore', fixture.log], variables())
    expect([restored.code, restored.stderr]).toEqual([0, ''])
  })

  test('is read by commands before a role of this build has made later topics', async () => {
    const admin = kafka.client().admin()
    await admin.connect()
    const topics = LATER_TOPICS.map((topic) => variables().KAFKA_PREFIX + topic)
    await admin.deleteTopics({ topics })
    await admin.disconnect()
    const backup = ['backup', join(room.path, `backup of ${fixture.version}`)]
    for (const args of [['lag'], ['audit'], backup, ['verify-backup', backup[1] ?? '']]) {
      const { code, stderr } = await runMarket(bundle, args, variables())
      expect([args, code, stderr]).toEqual([args, 0, ''])
    }
  })

  test('is answered from the views that it left', async () => {
    await redis.flush()
    for (const { key, dump } of redisKeysIn(fixture.redis)) {
      await redis.admin.restore(Buffer.from(key, 'base64'), 0, Buffer.from(dump, 'base64'))
    }
    await answersAsItDid()
  })

  test('is answered from views made of its log', async () => {
    await redis.flush()
    await answersAsItDid()
  })

  test('holds every invariant', async () => {
    const audit = await runMarket(bundle, ['audit'], variables())
    expect(audit.stdout + audit.stderr).toMatch(/\nclean/)
  })
})
