import type { Redis } from 'ioredis'
import type { TableSize } from '../../ports/log/sizes.ts'
import type { RedisCommands } from './client/connection.ts'
import { redisRefusalOf, storageTrouble } from './client/errors.ts'
import { withBriefConnection } from './client/one-shot-connection.ts'
import type { RedisAddress } from './client/redis-clients.ts'
import { memoriesOf } from './client/server-facts.ts'
import { scanKeys, serversOf } from './client/servers.ts'
import { rootOf, TAGS } from './rights/key-names.ts'

export interface RedisSizes {
  /** By key family: the tag, or of the views and of clients the part after it and the generation. */
  families: TableSize[]
  /** Bytes of all servers, all applications included. */
  serverBytes: number
  /** Some keys of the database were not read: there are more than the limit. */
  isPart: boolean
}

/** Keys per scan step, of any application. */
const STEP_KEYS = 1_000
/** Steps: a larger database is not scanned further, so as not to load its servers for minutes. */
const MAX_STEPS = 1_000
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

async function sizesIn(redis: RedisCommands, prefix: string): Promise<RedisSizes> {
  const servers = serversOf(redis)
  const { families, isPart } = await familiesOf(servers, rootOf(prefix))
  const sizes: TableSize[] = []
  for (const [name, family] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
    sizes.push({ name, entries: family.keys, bytes: await bytesOf(family) })
  }
  const memories = await memoriesOf(redis)
  const serverBytes = memories.reduce((sum, { usedBytes }) => sum + usedBytes, 0)
  return { families: sizes, serverBytes, isPart }
}

interface Family {
  keys: number
  asked: { server: Redis; key: string }[]
}

async function familiesOf(servers: readonly Redis[], root: string) {
  const families = new Map<string, Family>()
  let steps = 0
  for (const server of servers) {
    for await (const keys of scanKeys([server], patternOfAll(root), STEP_KEYS)) {
      if (steps === MAX_STEPS) return { families, isPart: true }
      steps += 1
      for (const key of keys) note(families, { server, key })
    }
  }
  return { families, isPart: false }
}

/** The pattern of the keys of every tag. */
const patternOfAll = (root: string): string => `${root.slice(0, -'}:'.length)}[:}]*`

function note(families: Map<string, Family>, one: Family['asked'][number]): void {
  const { key } = one
  const [, tag = '', name = ''] =
    /^\{[^:}]*:?([^:}]*)[^}]*\}:(?:v:\d+:[^:]*:)?([^:]*)/.exec(key) ?? []
  // Keys under the tags that clients share are grouped by their names.
  const family = tag === '' || TAGS.client.startsWith(tag) ? name : tag
  const found = families.get(family) ?? { keys: 0, asked: [] }
  found.keys += 1
  // The first keys of a scan are an unbiased sample: its order is that of their hashes.
  if (found.asked.length < ASKED_KEYS) found.asked.push(one)
  families.set(family, found)
}

async function bytesOf({ keys, asked }: Family): Promise<number> {
  const measured = await Promise.all(
    asked.map(({ server, key }) => server.memory('USAGE', key, 'SAMPLES', SAMPLES)),
  )
  // Null: the key was removed meanwhile.
  const found = measured.filter((bytes) => typeof bytes === 'number')
  const sum = found.reduce((total, bytes) => total + bytes, 0)
  return found.length === 0 ? 0 : Math.round((sum / found.length) * keys)
}
