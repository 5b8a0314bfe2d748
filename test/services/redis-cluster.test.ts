import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisRequestCounts } from '../../src/adapters/redis/request-counts.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf, outcomeOf } from '../support/orders/order-changes.ts'
import { waitUntil } from '../support/services/programs.ts'
import {
  adminOf,
  openKeyspace,
  openRedisViews,
  type RedisServer,
} from '../support/services/redis.ts'
import { RedisCluster } from '../support/services/redis-cluster.ts'
import { isOk, writing } from '../support/services/steady-writer.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// A server of the cluster is lost, or hands over, while the service writes.

/** The others agree on a silent server's successor within some 4 s, and it is left within 10 s of that. */
const WITHIN_MS = 15_000
const GIVEN_UP_MS = 6_000
const ATTEMPT_MS = 3_000
const [LIFE] = bookOf(1, 9).map((order) => lifeOf([order]))
let cluster: RedisCluster
let opened: Awaited<ReturnType<typeof openRedisViews>>
let written: string

beforeAll(async () => {
  cluster = await RedisCluster.start({ hasReplica: true })
  written = await keyOn(cluster.servers[0])
})
afterAll(async () => {
  await cluster.stop()
})
beforeEach(async () => {
  opened = await openRedisViews(cluster.url, { clock })
})
afterEach(() => opened?.close())

/** A key of the test that a server has, in the tag of some client. */
async function keyOn(server: RedisServer | undefined): Promise<string> {
  for (let n = 0; ; n += 1) {
    const key = `{market:c:${n}}:written-by-test`
    if ((await adminOf(cluster, key)) === server?.admin) return key
  }
}

/** To a replica, without a loss. */
async function handOver(to: RedisServer | null | undefined): Promise<void> {
  const replication = async () => (await to?.admin.info('replication')) ?? ''
  await waitUntil('it follows', async () => /^master_link_status:up/m.test(await replication()))
  let askedAt = Number.NEGATIVE_INFINITY
  await waitUntil('it is the primary', async () => {
    // The others may not agree: it is then given up.
    if (performance.now() - askedAt > GIVEN_UP_MS) {
      askedAt = performance.now()
      await to?.admin.cluster('FAILOVER')
    }
    return /^role:master/m.test(await replication())
  })
}

const write = (value: number): Promise<number> =>
  opened.keyspace.run((redis) => redis.rpush(written, value))

/** Cuts the listener's connection until it is at this server. */
const listensAt = (at: number) => async (): Promise<boolean> => {
  const all = [...cluster.servers, ...(cluster.replica ? [cluster.replica] : [])]
  const heard = await Promise.all(all.map(({ admin }) => admin.client('LIST', 'TYPE', 'PUBSUB')))
  const found = heard.findIndex((lines) => String(lines).trim() !== '')
  if (found >= 0 && found !== at) await all[found]?.admin.client('KILL', 'TYPE', 'PUBSUB')
  return found === at
}

let requests = 0

/** Hears of an outcome that is stored now; while servers change places, one may never be heard of. */
async function hears(patienceMs = 60_000): Promise<void> {
  const request = `request ${requests++}`
  const { changes = [], order } = LIFE ?? {}
  if (!order) throw new Error('there is no order')
  const heard = opened.views.waitForOutcome(request, AbortSignal.timeout(patienceMs))
  heard.catch(() => undefined)
  await opened.views.outcome(request)
  const nextOffset = (await opened.views.position(0)) + changes.length + 1
  const records = [...changes, outcomeOf(request, order.id)]
  await opened.views.apply({ partition: 0, nextOffset, records })
  expect(await heard).toMatchObject({ orderId: order.id })
}

test('scripts that a server forgot are sent again, to it alone', async () => {
  const counts = new RedisRequestCounts(opened.keyspace)
  const keys = Array.from({ length: 40 }, (_, n) => `read client-${n}`)
  await Promise.all(keys.map((key) => counts.count(key, true)))
  await Promise.all(cluster.admins.map((admin) => admin.script('FLUSH')))
  const again = await Promise.all(keys.map((key) => counts.count(key, true)))
  expect(again.every(({ current }) => current === 2)).toBe(true)
  await hears()
})

test('a primary that hands over is followed, and nothing is written twice', async () => {
  const { acknowledged, stop } = writing(write)
  await waitUntil('something was written', () => acknowledged.length > 10)
  await handOver(cluster.replica)
  const before = acknowledged.length
  await waitUntil('writes are taken again', () => acknowledged.length > before + 10, WITHIN_MS)
  await stop()
  const found = (await cluster.replica?.admin.lrange(written, 0, -1))?.map(Number) ?? []
  expect(new Set(found).size).toBe(found.length)
  expect(found).toEqual(expect.arrayContaining(acknowledged))
  await hears()
  await handOver(cluster.servers[0])
  await waitUntil('an outcome is heard', () => isOk(hears(ATTEMPT_MS)), WITHIN_MS)
})

test('a silent primary is left once another has its keys; commands fail in time, others are served', async () => {
  const elsewhere = await keyOn(cluster.servers[1])
  await waitUntil('it is the one that the listener hears', listensAt(0))
  const { acknowledged, slowest, stop } = writing(write)
  await waitUntil('something was written', () => acknowledged.length > 10)
  cluster.servers[0]?.signal('SIGSTOP')
  expect(await isOk(opened.keyspace.run((redis) => redis.get(elsewhere)))).toBe(true)
  // When that is, the servers decide among themselves.
  await waitUntil('another has its keys', async () =>
    /^role:master/m.test((await cluster.replica?.admin.info('replication')) ?? ''),
  )
  const before = acknowledged.length
  await waitUntil('writes are taken again', () => acknowledged.length > before + 10, WITHIN_MS)
  await stop()
  expect(slowest.ms).toBeLessThan(5_000)
  await waitUntil('an outcome is heard', () => isOk(hears(ATTEMPT_MS)), WITHIN_MS)
  // Back as a replica, it changes nothing.
  cluster.servers[0]?.signal('SIGCONT')
  await hears()
})

test('a cluster that appears later is used', async () => {
  const { url } = cluster
  await cluster.halt()
  const keyspace = await openKeyspace(url)
  expect(await keyspace.connection.trouble()).not.toBeNull()
  await cluster.restart()
  await waitUntil('it is used', async () => (await keyspace.connection.trouble()) === null)
  keyspace.close()
  await waitUntil('by all', () => isOk(hears(ATTEMPT_MS)), WITHIN_MS)
})
