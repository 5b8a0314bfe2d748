import type { Redis } from 'ioredis'
import type { TableSize } from '../../ports/log/sizes.ts'
import { withBriefConnection } from './client/brief-connection.ts'
import { repliesOf } from './client/connection.ts'
import { redisRefusalOf, storageTrouble } from './client/errors.ts'
import type { RedisAddress } from './client/redis-clients.ts'
import { rootOf } from './rights/key-names.ts'

export interface RedisSizes {
  /** By key family: the part after the prefix and the generation, up to the next colon. */
  families: TableSize[]
  /** Bytes of the whole server, all applications included. */
  serverBytes: number
  /** Some keys of the database were not read: there are more than the limit. */
  isPart: boolean
}

/** Keys per scan step, of any application. */
const STEP_KEYS = 1_000
/** Steps: a larger database is not scanned further, so as not to load a server for minutes. */
const MOST_STEPS = 1_000
/** Keys per family whose memory is measured. */
const ASKED_KEYS = 64
/** Entries of a large key that Redis samples to estimate its memory. */
const SAMPLES = 32

/** Sizes of a service's keys in a Redis: their counts, and the memory of samples of each family. */
export async function redisSizes({
  prefix,
  ...address
}: RedisAddress & { prefix: string }): Promise<RedisSizes> {
  try {
    return await withBriefConnection(address, (redis) => sizesIn(redis, prefix))
  } catch (error) {
    throw redisRefusalOf(error) ?? storageTrouble(error)
  }
}

async function sizesIn(redis: Redis, prefix: string): Promise<RedisSizes> {
  const { families, isPart } = await familiesOf(redis, rootOf(prefix))
  const sizes: TableSize[] = []
  for (const [name, family] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
    sizes.push({ name, entries: family.keys, bytes: await bytesOf(redis, family) })
  }
  const info = await redis.info('memory')
  const serverBytes = Number(/^used_memory:([0-9]+)/m.exec(info)?.[1] ?? 0)
  return { families: sizes, serverBytes, isPart }
}

interface Family {
  keys: number
  asked: string[]
}

async function familiesOf(redis: Redis, root: string) {
  const families = new Map<string, Family>()
  let cursor = '0'
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${root}*`, 'COUNT', STEP_KEYS)
    for (const key of keys) note(families, key, root)
    cursor = next
    if (cursor === '0') return { families, isPart: false }
  }
  return { families, isPart: true }
}

function note(families: Map<string, Family>, key: string, root: string): void {
  const [, family = ''] = /^(?:v:[^:]*:)?([^:]*)/.exec(key.slice(root.length)) ?? []
  const found = families.get(family) ?? { keys: 0, asked: [] }
  found.keys += 1
  // The first keys of a scan are an unbiased sample: its order is that of their hashes.
  if (found.asked.length < ASKED_KEYS) found.asked.push(key)
  families.set(family, found)
}

async function bytesOf(redis: Redis, { keys, asked }: Family): Promise<number> {
  const pipeline = redis.pipeline()
  for (const key of asked) pipeline.memory('USAGE', key, 'SAMPLES', SAMPLES)
  // Null: the key was removed meanwhile.
  const found = repliesOf(await pipeline.exec()).filter((bytes) => typeof bytes === 'number')
  const sum = found.reduce((total, bytes) => total + bytes, 0)
  return found.length === 0 ? 0 : Math.round((sum / found.length) * keys)
}
