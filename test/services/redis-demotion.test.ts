import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { toOrderId } from '../support/ids.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf, outcomeOf } from '../support/orders/order-changes.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { isOk, writing } from '../support/services/steady-writer.ts'
import { openTcpRelay, type TcpRelay } from '../support/services/tcp-relay.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// production A2: the server behind the name is demoted, and no connection is closed.

const WITHIN_MS = 10_000
/** Longer than any command may take. */
const COMMAND_MS = 3_000
const LIVES = bookOf(4, 9).map((order) => lifeOf([order]))
const CHANGES = LIVES.flatMap(({ changes }) => changes)
const FIRST = LIVES[0]?.order.id ?? toOrderId('')
let servers: readonly [RedisServer, RedisServer]
let relay: TcpRelay
let opened: Awaited<ReturnType<typeof openRedisViews>>
let views: RedisViews

const portOf = ({ url }: RedisServer): number => Number(new URL(url).port)

beforeEach(async () => {
  servers = [await RedisServer.start(), await RedisServer.start()]
  const [one, two] = servers
  await two.admin.replicaof('127.0.0.1', portOf(one))
  await waitUntil('the replica follows', () => isReplica(two))
  relay = await openTcpRelay(portOf(one))
  opened = await openRedisViews(`redis://127.0.0.1:${relay.port}`, { clock })
  views = opened.views
  await views.apply({ partition: 0, nextOffset: CHANGES.length, records: CHANGES })
})
afterEach(async () => {
  opened?.close()
  await relay?.close()
  await Promise.all(servers.map((server) => server.stop()))
})

const fieldOf = async ({ admin }: RedisServer, name: string): Promise<string> =>
  new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(await admin.info('replication'))?.[1] ?? ''
const isReplica = async (server: RedisServer): Promise<boolean> =>
  (await fieldOf(server, 'role')) === 'slave' &&
  (await fieldOf(server, 'master_link_status')) === 'up'

/** Hands over without a loss; `two` is then the primary. */
async function handOver(): Promise<void> {
  const [one, two] = servers
  await waitUntil('the second is in step', async () =>
    (await fieldOf(one, 'slave0')).includes('state=online'),
  )
  await one.admin.call('FAILOVER', 'TO', '127.0.0.1', String(portOf(two)))
  await waitUntil('the first is a replica', () => isReplica(one))
}

const WRITTEN = '{market}:written-by-test'
const write = (value: number): Promise<number> =>
  opened.keyspace.run((redis) => redis.rpush(WRITTEN, value))

test('writes go to the new primary within 10 s, none twice, and every read is answered meanwhile', async () => {
  const [one, two] = servers
  const { acknowledged, stop } = writing(write)
  const heard = views.waitForOutcome('r', AbortSignal.timeout(60_000))
  await waitUntil('something was written', () => acknowledged.length > 10)
  await handOver()
  const before = acknowledged.length
  relay.leadTo(portOf(two))
  let failedReads = 0
  await waitUntil(
    'writes are taken again',
    async () => {
      if (!(await isOk(views.order(FIRST)))) failedReads += 1
      return acknowledged.length > before
    },
    WITHIN_MS,
  )
  expect(failedReads).toBe(0)
  await stop()
  const written = (await two.admin.lrange(WRITTEN, 0, -1)).map(Number)
  expect(new Set(written).size).toBe(written.length)
  expect(written).toEqual(expect.arrayContaining(acknowledged))
  // Nothing is left at the old one, whose listener would hear no one.
  await waitUntil('all connections moved', async () => (await clientsOf(one)).length === 0)
  const last = { partition: 0, nextOffset: CHANGES.length + 1 }
  await views.apply({ ...last, records: [outcomeOf('r', FIRST)] })
  expect(await heard).toMatchObject({ orderId: FIRST })
})

/** Connections of the service: neither replication nor the test's own. */
async function clientsOf({ admin }: RedisServer): Promise<string[]> {
  const own = await admin.client('ID')
  const lines = String(await admin.client('LIST'))
    .trim()
    .split('\n')
  return lines.filter((line) => !/flags=[A-Z]*[SM]/.test(line) && !line.startsWith(`id=${own} `))
}

test('a process that writes nothing leaves a demoted server, too', async () => {
  const [one, two] = servers
  expect((await clientsOf(one)).length).toBe(2)
  await handOver()
  relay.leadTo(portOf(two))
  await waitUntil('it left', async () => (await clientsOf(one)).length === 0, WITHIN_MS)
  await waitUntil('both are there', async () => (await clientsOf(two)).length === 2)
  expect((await views.order(FIRST))?.order.id).toBe(FIRST)
})

test('a demoted server answers reads until the name leads to a primary', async () => {
  const [, two] = servers
  await handOver()
  for (let n = 0; n < 20; n += 1) {
    await expect(write(0)).rejects.toThrow('Redis is a replica')
    expect((await views.order(FIRST))?.order.id).toBe(FIRST)
    await clock.sleep(100)
  }
  relay.leadTo(portOf(two))
  await waitUntil('writes are taken', () => isOk(write(0)), WITHIN_MS)
})

test('a server that falls silent is left within 10 s', async () => {
  const [, two] = servers
  await handOver()
  relay.leadTo(portOf(two))
  relay.silence()
  await waitUntil('writes are taken', () => isOk(write(0)), WITHIN_MS)
  const heard = views.waitForOutcome('r', AbortSignal.timeout(60_000))
  await views.outcome('r')
  const records = [outcomeOf('r', FIRST)]
  await views.apply({ partition: 0, nextOffset: CHANGES.length + 1, records })
  expect(await heard).toMatchObject({ orderId: FIRST })
})

// ioredis would subscribe again by itself, and leave a failure of that to nobody.
test('a listener whose connection ends while it subscribes again fails nothing, and hears again', async () => {
  const [one] = servers
  relay.cutAt('subscribe', 3)
  await one.admin.client('KILL', 'TYPE', 'pubsub')
  const heard = views.waitForOutcome('r', AbortSignal.timeout(60_000))
  // What was lost on the way fails by then.
  await clock.sleep(COMMAND_MS)
  await waitUntil('it is back', async () => (await clientsOf(one)).length === 2)
  const last = { partition: 0, nextOffset: CHANGES.length + 1 }
  await views.apply({ ...last, records: [outcomeOf('r', FIRST)] })
  expect(await heard).toMatchObject({ orderId: FIRST })
})
