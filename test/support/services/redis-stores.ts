import { RedisBuiltAsks } from '../../../src/adapters/redis/built-asks.ts'
import { RedisIdempotency } from '../../../src/adapters/redis/idempotency.ts'
import { RedisRequestCounts } from '../../../src/adapters/redis/request-counts.ts'
import { VIEWS } from '../../../src/adapters/redis/rights/key-names.ts'
import { RedisUnprovedPool } from '../../../src/adapters/redis/unproved-pool.ts'
import { documentOf, readDocument } from '../../../src/adapters/redis/views/document.ts'
import type { Keyspace } from '../../../src/adapters/redis/views/keyspace.ts'
import { RedisWebhookProgress } from '../../../src/adapters/redis/webhook-progress.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { builtAsksContract } from '../../contracts/built-asks.ts'
import { idempotencyContract } from '../../contracts/idempotency.ts'
import type { OpenedViews } from '../../contracts/order-views.ts'
import type { OpenedRebuild } from '../../contracts/rebuild-views.ts'
import type { OpenedCounts } from '../../contracts/request-counts.ts'
import { unprovedPoolContract } from '../../contracts/unproved-pool.ts'
import { webhookProgressContract } from '../../contracts/webhook-progress.ts'
import { ManualClock } from '../manual-clock.ts'
import { systemClock } from '../system-clock.ts'
import {
  adminOf,
  dumpRedis,
  generationIn,
  openKeyspace,
  openRedisViews,
  type RedisHost,
} from './redis.ts'

/** The contracts of all stores that gateways share, beside the views and the counts. */
export function redisStoreContracts(name: string, host: () => RedisHost): void {
  const opening = <T>(make: (keyspace: Keyspace) => T) => reopened(host(), make)
  idempotencyContract(name, (bounds) =>
    opening((keyspace) => new RedisIdempotency(keyspace, bounds)),
  )
  unprovedPoolContract(name, (bounds) =>
    opening((keyspace) => new RedisUnprovedPool(keyspace, bounds)),
  )
  webhookProgressContract(name, () => opening((keyspace) => new RedisWebhookProgress(keyspace)))
  builtAsksContract(name, (bounds) => opening((keyspace) => new RedisBuiltAsks(keyspace, bounds)))
}

/** An empty store that is opened again after its servers were restarted. */
async function reopened<T>(host: RedisHost, make: (keyspace: Keyspace) => T) {
  await host.flush()
  let keyspace = await openKeyspace(host.url)
  return {
    store: make(keyspace),
    reopen: async () => {
      keyspace.close()
      await host.restart()
      keyspace = await openKeyspace(host.url)
      return make(keyspace)
    },
    close: async () => keyspace.close(),
  }
}

/** Empty views that are opened again after their servers were restarted. */
export async function reopenedViews(host: RedisHost, partitions: number): Promise<OpenedViews> {
  await host.flush()
  const clock = new ManualClock()
  let opened = await openRedisViews(host.url, { clock, partitions })
  return {
    views: opened.views,
    clock,
    reopen: async () => {
      opened.close()
      await host.restart()
      opened = await openRedisViews(host.url, { clock, partitions })
      return opened.views
    },
    close: async () => opened.close(),
  }
}

/** The counts of two gateways. */
export async function openCounts(host: RedisHost): Promise<OpenedCounts> {
  await host.flush()
  const spaces = [await openKeyspace(host.url), await openKeyspace(host.url)] as const
  const [one, two] = spaces
  return {
    gateways: [new RedisRequestCounts(one), new RedisRequestCounts(two)],
    endWindow: async (key) => {
      for (const admin of host.admins) {
        for (const found of await admin.keys(`*:limit:${key}`)) await admin.del(found)
      }
    },
    close: async () => {
      for (const space of spaces) space.close()
    },
  }
}

/** Readers look for the next views, and are waited for, four times as often. */
const inHaste: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 4, signal) }

/** Empty views that can be rebuilt, and damaged. */
export async function openRebuild(host: RedisHost, partitions: number): Promise<OpenedRebuild> {
  await host.flush()
  const { views, close } = await openRedisViews(host.url, { clock: inHaste, partitions })
  return {
    views,
    held: () => dumpRedis(host),
    damage: async (id) => {
      const docs = `{market}:${VIEWS}${await generationIn(host)}:docs`
      const admin = await adminOf(host, docs)
      const stored = (await admin.hgetBuffer(docs, id)) ?? Buffer.alloc(0)
      const order = readDocument(stored)?.order
      if (!order) throw new Error('there is no such order')
      const [head = ''] = /^\d+ \d+ /.exec(stored.toString('latin1')) ?? []
      const damaged = documentOf({ ...order, state: 'REJECTED' })
      await admin.hset(docs, id, Buffer.concat([Buffer.from(head), damaged]))
    },
    close: async () => close(),
  }
}
