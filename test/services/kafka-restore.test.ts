import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEPT_FREE_BYTES } from '../../src/adapters/free-space.ts'
import type { LogManifest } from '../../src/operator/backup/log/log-manifest.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { ClickHouseServer } from '../support/clickhouse/server.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { canMount, SmallDisk } from '../support/faults/small-disk.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { S3Server } from '../support/processes/s3-server.ts'
import { KafkaServer, QUICK_GROUPS } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { RedisServer } from '../support/services/redis.ts'
import { runMarket } from '../support/services/service-process.ts'
import { STACK_ROLES, Stack } from '../support/services/stack.ts'
import { StackLoad } from '../support/services/stack-load.ts'

// Two backups of a log while sellers list; then Kafka, Redis, the history and every disk of a role are
// lost, and the service goes on from the second backup.

const COINS = 60
/** Orders that are answered before each backup begins. */
const BEFORE = 6
const room = temporaryDirectory()
const backup = join(room.path, 'backup')
let bundle: Bundle
let stack: Stack
let s3: S3Server
const inBucket = () => `s3://${s3.bucket}/market/log`
let load: StackLoad
let first: LogManifest
let second: LogManifest
/** Orders that were answered before the second backup began. */
let acknowledged: string[]
let fresh: { kafka: KafkaServer; redis: RedisServer; clickhouse: ClickHouseServer }

const market = (args: string[], more: Record<string, string> = {}) =>
  runMarket(bundle, args, {
    ...stack.variables,
    DATA_DIR: join(room.path, 'no data'),
    ...more,
  })
const manifestOf = (folder: string): LogManifest =>
  JSON.parse(readFileSync(join(folder, 'log.json'), 'utf8')) as LogManifest

/** Into the folder, and beside it into a bucket. */
async function backedUp(): Promise<LogManifest> {
  for (const where of [backup, inBucket()]) {
    const { code, stdout, stderr } = await market(['backup', where], s3.variables)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^orders\.lifecycle {2}[1-9]\d* records/m)
  }
  return manifestOf(backup)
}

const lost = () => ({
  KAFKA_BROKERS: fresh.kafka.broker,
  REDIS_URL: fresh.redis.url,
  CLICKHOUSE_URL: fresh.clickhouse.url,
})

beforeAll(async () => {
  bundle = await bundleService()
  s3 = await S3Server.start()
  // Signed by the actors, and compared wherever it is read.
  const variables = { HEADS_KEY: '11'.repeat(32) }
  stack = await Stack.start({ program: bundle, broker: QUICK_GROUPS, variables })
  await stack.startAll()
  load = await StackLoad.open(stack, COINS)
  load.start()
  await waitUntil('orders are answered', () => load.answered >= BEFORE)
  first = await backedUp()
  // What an interrupted run leaves, which the next one removes.
  mkdirSync(join(backup, 'orders.lifecycle-0'), { recursive: true })
  writeFileSync(join(backup, 'orders.lifecycle-0/5-00000000.gz'), 'a part')
  await waitUntil('more orders are answered', () => load.answered >= 2 * BEFORE)
  acknowledged = load.orders
  second = await backedUp()
  await load.rest()
  await Promise.all([...stack.roles.values()].map((role) => role.end('SIGKILL')))
  stack.kafka.kill('SIGKILL')
  await stack.redis.admin.flushall()
  const [kafka, redis, clickhouse] = await Promise.all([
    KafkaServer.start(),
    RedisServer.start(),
    ClickHouseServer.start(),
  ])
  fresh = { kafka, redis, clickhouse }
})
afterAll(async () => {
  await stack?.end()
  await s3?.stop()
  await Promise.all([fresh?.kafka.stop(), fresh?.redis.stop(), fresh?.clickhouse.stop()])
  bundle?.drop()
  room.drop()
})

test('the second backup has what the first one has, and what came since', async () => {
  expect([first.runs, second.runs]).toEqual([1, 2])
  const lifecycleOf = ({ parts }: LogManifest) =>
    parts.filter(({ topic }) => topic === TOPICS.lifecycle)
  for (const { segments } of [...lifecycleOf(first), ...lifecycleOf(second)])
    expect(segments.length).toBeLessThanOrEqual(1)
  const recordsOf = (manifest: LogManifest) =>
    lifecycleOf(manifest).reduce((sum, { records }) => sum + records, 0)
  expect(recordsOf(second)).toBeGreaterThan(recordsOf(first))
  const files = second.parts.flatMap(({ segments }) => segments.map(({ path }) => path))
  const there = readdirSync(backup, { recursive: true, encoding: 'utf8' })
  expect(there.filter((name) => name.endsWith('.gz')).toSorted()).toEqual(files.toSorted())
  expect(await market(['verify-backup', backup])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nas it was written\n$/),
  })
})

describe('a backup that is not as it was written is refused, and Kafka left as it is', () => {
  const damaged = (name: string, damage: (folder: string) => void): string => {
    const folder = join(room.path, `damaged ${name}`)
    cpSync(backup, folder, { recursive: true })
    damage(folder)
    return folder
  }
  const changed = (folder: string, change: (manifest: LogManifest) => void) => {
    const manifest = manifestOf(folder)
    change(manifest)
    writeFileSync(join(folder, 'log.json'), JSON.stringify(manifest))
  }
  const segmentsOf = (topic: string) =>
    second.parts.filter((part) => part.topic === topic).flatMap(({ segments }) => segments)
  const lifecycle = () => segmentsOf(TOPICS.lifecycle).map(({ path }) => path)

  test.each<[string, (folder: string) => void, string]>([
    [
      'cut',
      (folder) => {
        const path = join(folder, lifecycle()[0] ?? '')
        writeFileSync(path, readFileSync(path).subarray(0, -1))
      },
      'bytes, it was written with',
    ],
    [
      'longer',
      (folder) => appendFileSync(join(folder, lifecycle()[0] ?? ''), 'x'),
      ' bytes, it was',
    ],
    [
      'swapped',
      (folder) => {
        const [one, other] = segmentsOf(TOPICS.snapshots)
        if (!one || !other) throw new Error('there are two')
        copyFileSync(join(folder, one.path), join(folder, other.path))
      },
      'orders.snapshots-',
    ],
    ['missing', (folder) => rmSync(join(folder, lifecycle().at(-1) ?? '')), ' is missing'],
    [
      'a file of it forgotten',
      (folder) =>
        changed(folder, ({ parts }) => {
          const part = parts.find(({ segments }) => segments.length > 0)
          part?.segments.splice(0, 1)
        }),
      'has other records than its head was made over',
    ],
    [
      'another head',
      (folder) =>
        changed(folder, ({ parts }) => {
          const part = parts.find(({ topic }) => topic === TOPICS.lifecycle)
          if (part) part.head = 'ab'.repeat(32)
        }),
      'has other records than its head was made over',
    ],
    [
      'a partition forgotten',
      (folder) => changed(folder, ({ parts }) => parts.pop()),
      'is not in the manifest',
    ],
  ])('%s', async (name, damage, problem) => {
    const folder = damaged(name, damage)
    const verified = await market(['verify-backup', folder])
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining(problem)])
    const restored = await market(['restore', folder], lost())
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(problem)])
  })

  test.each<[string, (folder: string) => void, string]>([
    ['unfinished', (folder) => rmSync(join(folder, 'log.json')), 'is no backup'],
    [
      'pointing elsewhere',
      (folder) =>
        changed(folder, ({ parts }) => {
          const segment = parts.find(({ segments }) => segments.length > 0)?.segments[0]
          if (segment) segment.path = '../elsewhere-0/0-00000000.gz'
        }),
      'is no manifest of a backup that this release reads',
    ],
  ])('%s', async (name, damage, problem) => {
    const restored = await market(['restore', damaged(name, damage)], lost())
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(problem)])
  })

  test.each<[string, Record<string, string>, string]>([
    ['another network', { BITCOIN_NETWORK: 'signet' }, 'set BITCOIN_NETWORK=regtest'],
    ['other partitions', { ORDER_PARTITIONS: '8' }, 'set ORDER_PARTITIONS=4'],
  ])('of %s', async (_, more, cure) => {
    const restored = await market(['restore', backup], { ...lost(), ...more })
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(cure)])
  })

  test('without a Kafka to restore into', async () => {
    const restored = await runMarket(bundle, ['restore', backup], {
      DATA_DIR: join(room.path, 'no data'),
    })
    expect([restored.code, restored.stderr]).toEqual([
      1,
      expect.stringContaining('set KAFKA_BROKERS'),
    ])
  })

  test('none of which made a topic', async () => {
    const admin = fresh.kafka.client().admin()
    await admin.connect()
    expect((await admin.listTopics()).filter((name) => !name.startsWith('__'))).toEqual([])
    await admin.disconnect()
  })
})

test('everything is lost, and restored: what was answered is there, and the audit is clean', async () => {
  const restored = await market(['restore', backup, '--json'], lost())
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  expect(JSON.parse(restored.stdout)).toMatchObject({
    logId: second.logId,
    restoredAs: expect.not.stringContaining(second.logId),
  })
  await Promise.all(STACK_ROLES.map((role) => stack.startRole(role, `${role} again`, lost())))
  load.use(stack.role('gateway again'))
  for (const id of acknowledged) {
    const { address } = stack.role('gateway again')
    await waitUntil(`${id} is there`, async () => {
      const answer = await fetchUnlessShed(`${address}/api/market/orders/${id}`)
      return answer.status === 200
    })
  }
  // Offers are taken again, in every partition.
  await load.recovery()
  await waitUntil('every reader has come to the end', async () =>
    /^all +0 +0 +0$/m.test((await market(['lag'], lost())).stdout),
  )
  const running = [...stack.roles.values()].filter(({ hasEnded }) => !hasEnded)
  await Promise.all(running.map((role) => role.end()))
  const audit = await market(['audit'], lost())
  // The inbox begins with what was not consumed, as after its retention.
  expect(audit.stdout + audit.stderr).toMatch(/\nclean as far as checked; skipped: I8\n$/)
})

test('what an interrupted restore leaves is refused, with its cure, and is no log to a role', async () => {
  const AGAIN = { ...lost(), KAFKA_PREFIX: 'again.' }
  const admin = fresh.kafka.client().admin()
  const producer = fresh.kafka.client().producer()
  await Promise.all([admin.connect(), producer.connect()])
  const left = AGAIN.KAFKA_PREFIX + TOPICS.lifecycle
  await admin.createTopics({ topics: [{ topic: left, numPartitions: 4 }], waitForLeaders: true })
  await producer.send({ topic: left, messages: [{ key: 'k', value: 'v' }] })
  await producer.disconnect()
  const role = await market(['start'], {
    ...AGAIN,
    ROLE: 'projector',
    PORT: '0',
    METRICS_PORT: '0',
  })
  expect([role.code, role.stderr]).toEqual([
    1,
    expect.stringContaining('not created by this service'),
  ])
  const refused = await market(['restore', backup], AGAIN)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`topic ${left} is not empty`),
  ])
  expect(refused.stderr).toContain('what an interrupted restore left, delete them')
  await admin.deleteTopics({ topics: [left] })
  await admin.disconnect()
  expect(await market(['restore', backup], AGAIN)).toMatchObject({ code: 0, stderr: '' })
})

describe('what is there is not written over', () => {
  test('by a restore into a log', async () => {
    const again = await market(['restore', backup], lost())
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')])
    expect(again.stderr).toContain('set KAFKA_PREFIX to another prefix')
  })

  test('by a backup of another log: the restored one needs a folder of its own', async () => {
    const foreign = await market(['backup', backup], lost())
    expect([foreign.code, foreign.stderr]).toEqual([
      1,
      expect.stringContaining('has a backup of another log'),
    ])
    expect(manifestOf(backup)).toEqual(second)
    const own = join(room.path, 'of the restored log')
    expect(await market(['backup', own], lost())).toMatchObject({ code: 0, stderr: '' })
    expect(await market(['verify-backup', own])).toMatchObject({ code: 0 })
  })

  test.skipIf(!canMount)('by a backup on a full disk: the last one can be used', async () => {
    using disk = new SmallDisk('96m')
    const own = join(disk.path, 'backup')
    expect(await market(['backup', own], lost())).toMatchObject({ code: 0 })
    const before = manifestOf(own)
    disk.leaveFree(KEPT_FREE_BYTES - 1)
    const full = await market(['backup', own], lost())
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('MiB left')])
    disk.leaveFree(0)
    expect((await market(['backup', own], lost())).code).toBe(1)
    expect(manifestOf(own)).toEqual(before)
    expect(await market(['verify-backup', own])).toMatchObject({ code: 0 })
  })

  test('by a backup into a folder of something else', async () => {
    const folder = join(room.path, 'taken')
    cpSync(join(backup, 'log.json'), join(folder, 'mine.json'))
    const taken = await market(['backup', folder], lost())
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('is not empty')])
    expect(existsSync(join(folder, 'log.json'))).toBe(false)
  })
})

test('a compacted topic is copied from its beginning, if the last run was long ago', async () => {
  const old = join(room.path, 'of the restored log')
  const before = manifestOf(old)
  const madeAt = new Date(Date.parse(before.madeAt) - 13 * 3_600_000).toISOString()
  writeFileSync(join(old, 'log.json'), JSON.stringify({ ...before, madeAt }))
  expect(await market(['backup', old], lost())).toMatchObject({ code: 0, stderr: '' })
  const pathsOf = ({ parts }: LogManifest, name: string) =>
    parts
      .filter(({ topic }) => topic === name)
      .flatMap(({ segments }) => segments.map(({ path }) => path))
  const now = manifestOf(old)
  expect(pathsOf(now, TOPICS.lifecycle)).toEqual(pathsOf(before, TOPICS.lifecycle))
  const again = pathsOf(now, TOPICS.snapshots)
  expect(again.length).toBeGreaterThan(0)
  expect(pathsOf(before, TOPICS.snapshots).filter((path) => again.includes(path))).toEqual([])
  expect(await market(['verify-backup', old])).toMatchObject({ code: 0 })
})

describe('a backup in a bucket', () => {
  const folder = () => join(s3.folder, 'market/log')

  test('has what the one in a folder has, whose runs began a moment before', async () => {
    const manifest = manifestOf(folder())
    expect([manifest.runs, manifest.logId]).toEqual([2, second.logId])
    const files = manifest.parts.flatMap(({ segments }) => segments.map(({ path }) => path))
    const there = readdirSync(folder(), { recursive: true, encoding: 'utf8' })
    expect(there.filter((name) => name.endsWith('.gz')).toSorted()).toEqual(files.toSorted())
  })

  test('is restored as it was written', async () => {
    const where = inBucket()
    const prefixed = { ...lost(), ...s3.variables, KAFKA_PREFIX: 'bucket.' }
    const restored = await market(['restore', where, '--json'], prefixed)
    expect([restored.code, restored.stderr]).toEqual([0, ''])
    expect(JSON.parse(restored.stdout)).toMatchObject({ logId: second.logId, runs: 2 })
  })

  test('is refused once it is not as it was written', async () => {
    const [segment] = manifestOf(folder()).parts.flatMap(({ segments }) => segments)
    appendFileSync(join(folder(), segment?.path ?? ''), 'x')
    for (const command of ['verify-backup', 'restore']) {
      const { code, stdout, stderr } = await market([command, inBucket()], s3.variables)
      expect([code, stdout + stderr]).toEqual([
        1,
        expect.stringContaining(' bytes, it was written'),
      ])
    }
  })
})
