import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import kafkajs from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { readOrderChanges } from '../../src/gateway/dispute/read-order-changes.ts'
import type { ChangePlace } from '../../src/ports/views/order-versions.ts'
import { type ChangeRecord, LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOutpointText } from '../support/ids.ts'
import { idleWorker } from '../support/log/idle-worker.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { prepareCore } from '../support/services/core.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { RedisServer } from '../support/services/redis.ts'
import { runMarket } from '../support/services/service-process.ts'
import { marketLives } from '../support/statistics/market-lives.ts'

const PARTITIONS = 3
const NOISE_RECORDS = 8_000
const txid = 'cd'.repeat(32)

let bundle: Bundle
let kafka: KafkaServer
let redis: RedisServer
let opened: OpenedKafkaLog
let here: Record<string, string>
const directory = temporaryDirectory()

beforeAll(async () => {
  ;[bundle, kafka, redis] = await Promise.all([
    bundleService(),
    KafkaServer.start(),
    RedisServer.start(),
  ])
  opened = await openKafkaLog(kafka, { partitions: PARTITIONS })
  here = {
    DATA_DIR: directory.path,
    PORT: '0',
    METRICS_PORT: '0',
    ORDER_PARTITIONS: String(PARTITIONS),
    KAFKA_BROKERS: kafka.broker,
    KAFKA_PREFIX: opened.prefix,
    REDIS_URL: redis.url,
    CURSOR_KEY: 'a-cursor-key-of-more-than-32-characters',
  }
})
afterAll(async () => {
  await opened.close()
  await Promise.all([kafka.stop(), redis.stop()])
  bundle.drop()
  directory.drop()
})

const market = (args: readonly string[], variables: Record<string, string> = {}) =>
  runMarket(bundle, args, { ...here, ...variables })
const linesOf = ({ stdout }: { stdout: string }) => stdout.trimEnd().split('\n')

const outpointIn = (partition: number): string => {
  for (let vout = 0; ; vout += 1) {
    if (partitionOf(toOutpointText(`${txid}:${vout}`), PARTITIONS) === partition)
      return `${txid}:${vout}`
  }
}
/** Of the files in which Kafka stores the records of a partition. */
const segmentBytes = (partition: string): number => {
  const folder = join(kafka.dataDirectory, partition)
  const segments = readdirSync(folder).filter((name) => name.endsWith('.log'))
  return segments.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
const orderIn = (partition: number) => String(partition).repeat(64)
const revalidate = (partition: number) => ({
  schema: LOG_SCHEMA,
  kind: 'command',
  command: 'revalidate',
  requestId: randomUUID(),
  orderId: orderIn(partition),
  outpoint: outpointIn(partition),
  at: new Date().toISOString(),
})

/** The order actors consume everything, and stop. */
async function takeInbox(log: KafkaLog): Promise<void> {
  const stop = new AbortController()
  const open = openOrderWorker({ ...idleWorker(PARTITIONS), onFault: () => {} })
  const running = log.processInbox(open, stop.signal)
  try {
    await waitUntil('the inbox is taken', async () => {
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        const end = await log.end(TOPICS.inbox, partition)
        let left = 0
        for await (const batch of log.stored(
          TOPICS.inbox,
          partition,
          await log.consumed(partition),
        )) {
          left += batch.length
        }
        if (end > 0 && left > 0) return false
      }
      return true
    })
  } finally {
    stop.abort()
    await running
  }
}

test('poison goes to the dead letters with its reason; what can be read is retried, once', async () => {
  // As an operator may have set it: the topic accepts more than the service does.
  const admin = kafka.client().admin()
  await admin.connect()
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: `${opened.prefix}${TOPICS.inbox}`,
        configEntries: [
          { name: 'max.message.bytes', value: String(4 * 2 ** 20) },
          { name: 'cleanup.policy', value: 'delete' },
          { name: 'retention.ms', value: String(7 * 86_400_000) },
        ],
      },
    ],
  })
  await admin.disconnect()
  const producer = kafka.client().producer()
  await producer.connect()
  const put = (partition: number, key: string | null, value: Buffer | string | null) =>
    producer.send({
      topic: `${opened.prefix}${TOPICS.inbox}`,
      messages: [{ partition, key, value }],
    })
  const inWords = (value: unknown) => JSON.stringify(value)
  await put(0, 'garbage', Buffer.from([0xff, 0x00, 0x1b, 0x5b, 0x32, 0x4a]))
  await put(0, 'large', 'x'.repeat(2 ** 20 + 1))
  await put(0, null, null)
  await put(0, 'version', inWords({ ...revalidate(0), schema: 0 }))
  await put(0, 'misplaced', inWords(revalidate(2)))
  // The key says nothing that the record does not: this one is accepted as it is.
  await put(0, null, inWords(revalidate(0)))
  await producer.disconnect()

  const lags = JSON.parse((await market(['lag', '--json'])).stdout)
  expect(lags.map(({ actors }: { actors: { left: number } }) => actors.left)).toEqual([6, 0, 0])
  await takeInbox(opened.log)
  // A control record follows what was written: there is nothing to read all the same.
  const after = JSON.parse((await market(['lag', '--json'])).stdout)
  expect(after.map(({ actors }: { actors: { left: number } }) => actors.left)).toEqual([0, 0, 0])
  expect(after[0].history.left).toBe(0)
  expect(after[0].views.left).toBe(1)

  const listed = linesOf(await market(['dlq', 'list']))
  expect(listed.map((line) => line.slice(0, 5).trim())).toEqual(['0/0', '0/1', '0/2', '0/3', '0/4'])
  expect(listed.map((line) => line.slice(18))).toEqual([
    'unreadable: not JSON',
    'unreadable: 1048577 bytes: too large',
    'unreadable: an empty record',
    'unreadable: this release reads schema 1, and its schema is 0',
    `misplaced: ${outpointIn(2)} belongs to another partition`,
  ])
  const retried = await market(['dlq', 'retry', '--all'])
  expect(retried.code).toBe(1)
  expect(linesOf(retried)).toEqual([
    '0/0         not retried: still unreadable: not JSON',
    '0/1         not retried: still unreadable: 1048577 bytes: too large',
    '0/2         not retried: still unreadable: an empty record',
    '0/3         not retried: still unreadable: this release reads schema 1, and its schema is 0',
    '0/4         retried: appended to inbox partition 2',
  ])
  await takeInbox(opened.log)
  const outcomes = await market(['tail', '--no-follow', '--partition', '2', '--order', orderIn(2)])
  expect(linesOf(outcomes)).toEqual([
    expect.stringMatching(/^orders\.lifecycle 2\/0 .* outcome .*: refused, ORDER_NOT_FOUND$/),
  ])
  const inbox = linesOf(
    await market(['tail', '--no-follow', '--topic', 'orders.inbox', '--partition', '2']),
  )
  expect(inbox).toEqual([expect.stringContaining(`command  revalidate ${orderIn(2)}`)])
  expect(linesOf(await market(['dlq', 'list'])).at(-1)).toMatch(
    /^0\/4 +retried at 20\S+ to partition 2 {2}misplaced: /,
  )
})

test('the commands work on the log of Kafka, and create none', async () => {
  const replayed = await market(['replay', 'inbox'])
  expect([replayed.code, linesOf(replayed).at(-1)]).toEqual([0, 'no differences'])
  const audit = await market(['audit'])
  expect(audit.stdout).toContain(`event log    Kafka at ${kafka.broker}, topics ${opened.prefix}*`)
  expect(audit.stdout).toContain(`order views  Redis at ${redis.url}`)
  const rebuilt = await market(['rebuild', 'views'])
  expect([rebuilt.code, rebuilt.stdout]).toEqual([0, 'the views are rebuilt\n'])
  const nowhere = await market(['tail', '--no-follow'], { KAFKA_PREFIX: 'nowhere.' })
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^market: no log in Kafka under this name: topic nowhere\..* is missing; set KAFKA_PREFIX to the service's value/,
    ),
  ])
  const admin = kafka.client().admin()
  await admin.connect()
  expect((await admin.listTopics()).filter((name) => name.startsWith('nowhere.'))).toEqual([])
  await admin.disconnect()
})

test('usage counts what Kafka and Redis hold, as they store it', async () => {
  const filler = { ...revalidate(1), filler: 'as always '.repeat(100) }
  const length = JSON.stringify(filler).length
  const many = Array.from({ length: 400 }, () => ({
    ...{ topic: TOPICS.dead, partition: 1, key: 'filler', value: filler },
  }))
  await opened.log.append(many)
  // More than is read of it, in batches of hundreds that no sample begins with.
  const noise = Array.from({ length: NOISE_RECORDS }, () => ({
    ...{
      topic: TOPICS.dead,
      partition: 2,
      key: 'noise',
      value: randomBytes(1_000).toString('hex'),
    },
  }))
  await opened.log.append(noise)
  const { code, stdout, stderr } = await market(['usage', '--json'])
  expect([code, stderr]).toEqual([0, ''])
  const { topics, stores, notes } = JSON.parse(stdout)
  const found = (name: string) => topics.find(({ topic }: { topic: string }) => topic === name)
  const [dead] = found(TOPICS.dead).partitions.filter(
    ({ partition }: { partition: number }) => partition === 1,
  )
  expect(dead.records).toBe(400)
  // Repetition compresses: far less than was sent, and more than nothing.
  expect(dead.bytes).toBeGreaterThan(1_000)
  expect(dead.bytes).toBeLessThan((400 * length) / 5)
  expect(dead.bytesSince).toBe(dead.bytes)
  for (const { topic, partitions } of topics) {
    for (const { partition, bytes } of partitions) {
      const stored = segmentBytes(`${opened.prefix}${topic}-${partition}`)
      // What has few batches is read to its end.
      const isSampled = bytes > NOISE_RECORDS * 1_000
      expect(Math.abs(bytes - stored)).toBeLessThanOrEqual(isSampled ? stored / 20 : 0)
    }
  }
  const large = found(TOPICS.dead).partitions.at(-1)
  expect(large.partition).toBe(2)
  // What only the broker sees is estimated from the sampled share.
  expect(Math.abs(large.records - NOISE_RECORDS)).toBeLessThanOrEqual(NOISE_RECORDS / 100)
  expect(large.bytes).toBeGreaterThan(NOISE_RECORDS * 1_000)
  // Larger than a batch can be compressed to: garbage, 1 MiB, and the rest.
  const inbox = found(TOPICS.inbox)
  expect(inbox.partitions.map(({ records }: { records: number }) => records)).toEqual([6, 1])
  expect(inbox.bytes).toBeGreaterThan(2 ** 20)
  expect(inbox).toMatchObject({ cleanUp: { policy: 'delete' }, growth: null })
  expect(Math.abs(Date.now() - Date.parse(inbox.since))).toBeLessThan(600_000)
  expect(found('market.settings')).toMatchObject({ records: 1, cleanUp: null })

  const [local] = stores.filter(({ name }: { name: string }) => name.startsWith('lmdb'))
  expect(local).toBeUndefined()
  const [keys] = stores.filter(({ name }: { name: string }) => name.startsWith('Redis'))
  const families = new Map(keys.tables.map((one: { name: string }) => [one.name, one]))
  expect(families.get('meta')).toMatchObject({ entries: 1 })
  expect(keys.bytes).toBeGreaterThan(50)
  expect(notes).toEqual([expect.stringMatching(/^the Redis server uses [0-9]+ bytes in total$/)])
})

test('the changes of an order are read by their offsets, near ones and far ones', async () => {
  const { log } = opened
  const lives = marketLives(300, 5)
  const changes = lives.find((life) => life.length > 8)!
  const others = lives.filter((life) => life !== changes).flat()
  const partition = 2
  const records = changes.flatMap((change, n) => [
    ...others.slice(n * 150, (n + 1) * 150 * (n === 4 ? 5 : 1)),
    change,
  ])
  for (let from = 0; from < records.length; from += 200)
    await log.append(
      records.slice(from, from + 200).map((value) => ({
        topic: TOPICS.lifecycle,
        partition,
        key: value.orderId,
        value,
      })),
    )
  const places: ChangePlace[] = []
  for await (const batch of log.stored(TOPICS.lifecycle, partition, 0))
    for (const { offset, value } of batch) {
      const { orderId, seq } = value as Partial<ChangeRecord>
      if (orderId === changes[0]?.orderId && seq !== undefined)
        places.push({ seq, partition, offset })
    }
  expect(places).toHaveLength(changes.length)
  const { signal } = new AbortController()
  expect(await readOrderChanges(log, changes[0]!.orderId, places, signal)).toEqual(changes)
  const ends = [places[0]!, places.at(-1)!]
  expect(await readOrderChanges(log, changes[0]!.orderId, ends, signal)).toEqual([
    changes[0],
    changes.at(-1),
  ])
})

test('doctor names the fix for each fault', async () => {
  const well = await market(['doctor'], { DEVNET: 'off' })
  expect(well.stdout).toMatch(/^ok {4}kafka {7}topics: 3 partitions, settings correct$/m)
  expect(well.stdout).toMatch(/^ok {4}redis {7}Redis \d\S+, no eviction, views of this release$/m)
  expect(well.stdout).toMatch(/^ok {4}redis {7}the clock of Redis agrees/m)
  expect(well.stdout).toMatch(/^warn {2}kafka {7}no process consumes the inbox/m)
  expect(well.code).toBe(0)

  const admin = kafka.client().admin()
  await admin.connect()
  try {
    const topic = (name: string) => ({ topic: name, numPartitions: 1 })
    await admin.createTopics({ topics: [topic('foreign.orders.inbox')], waitForLeaders: true })
    await redis.admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const elsewhere = await market(['doctor'], {
      KAFKA_PREFIX: 'foreign.',
      BITCOIN_RPC_URL: 'http://127.0.0.1:1',
      BITCOIN_RPC_USER: 'market',
      BITCOIN_RPC_PASSWORD: 'a-password',
    })
    expect(elsewhere.code).toBe(1)
    expect(elsewhere.stdout).toMatch(
      /^fail {2}kafka {7}topic foreign.orders.inbox exists without foreign.market.settings\n +fix: not created by this service; set KAFKA_PREFIX to another prefix/m,
    )
    expect(elsewhere.stdout).toMatch(
      /^fail {2}redis {7}Redis evicts keys .*\n +fix: set maxmemory-policy noeviction$/m,
    )
    expect(elsewhere.stdout).toMatch(/^fail {2}node .*\n +fix: start the node at/m)
    await redis.admin.config('SET', 'maxmemory-policy', 'noeviction')

    const snapshots = `${opened.prefix}${TOPICS.snapshots}`
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: snapshots,
          configEntries: [
            { name: 'cleanup.policy', value: 'compact' },
            { name: 'segment.bytes', value: String(2 ** 30) },
          ],
        },
      ],
    })
    const older = await market(['doctor'], { DEVNET: 'off' })
    expect([older.code, older.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^warn {2}kafka {7}topic ${snapshots} has segment.bytes=1073741824, max.compaction.lag.ms=[0-9]{19}: a takeover reads more than necessary\n +fix: run kafka-configs.sh .*--entity-name ${snapshots} --add-config segment.bytes=67108864,max.compaction.lag.ms=3600000$`,
          'm',
        ),
      ),
    ])

    const inbox = `${opened.prefix}${TOPICS.inbox}`
    await admin.createPartitions({ topicPartitions: [{ topic: inbox, count: PARTITIONS + 1 }] })
    const grown = await market(['doctor'], { DEVNET: 'off' })
    expect([grown.code, grown.stdout]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`^fail {2}kafka {7}topic ${inbox} has 4 partitions, not 3\\n +fix: set `, 'm'),
      ),
    ])
  } finally {
    await admin.disconnect()
  }
})

test('doctor names the fix for a node on another chain, and a plan reads the right one', async () => {
  const core = await prepareCore()
  await core.start()
  try {
    const { code, stdout } = await market(['doctor'], {
      BITCOIN_NETWORK: 'signet',
      BITCOIN_RPC_URL: core.url,
      BITCOIN_RPC_COOKIE_FILE: core.cookieFile,
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^fail {2}node .*\n +fix: set BITCOIN_NETWORK to the node's network, or BITCOIN_RPC_URL to a node on signet$/m,
    )
    expect(stdout).toMatch(
      /^fail {2}kafka .* was created for regtest, but BITCOIN_NETWORK is signet\n +fix: set KAFKA_PREFIX/m,
    )
    expect(stdout).toMatch(
      /^fail {2}redis .* are for regtest, but BITCOIN_NETWORK is signet\n +fix: set REDIS_PREFIX/m,
    )
    const right = await market(['doctor'], {
      BITCOIN_RPC_URL: core.url,
      BITCOIN_RPC_COOKIE_FILE: core.cookieFile,
    })
    expect(right.stdout).toMatch(/^ok {4}node {8}\/Satoshi\S+ on regtest, block 0 [0-9a-f]{64}$/m)
    expect(right.stdout).toMatch(/^ok {4}node {8}the clock of the node agrees/m)

    const node = { BITCOIN_RPC_URL: core.url, BITCOIN_RPC_COOKIE_FILE: core.cookieFile }
    const plan = await market(['pairing', 'plan', '--json'], node)
    expect([plan.code, JSON.parse(plan.stdout)]).toMatchObject([
      0,
      // The first block of regtest has 285 bytes on every node.
      { from: 0, tip: 0, blocks: 1, bytes: 285, sampled: { heights: [0], bytesPerBlock: 285 } },
    ])
    const above = await market(['circles', 'plan', '--from', '1'], node)
    expect([above.code, above.stderr]).toEqual([
      1,
      expect.stringContaining("height 1 is above the node's tip 0"),
    ])
  } finally {
    await core.close()
  }
})
