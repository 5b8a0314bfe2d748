import { KEY_NAMES, OUTCOMES_CHANNEL, TRIED_CHANNEL } from './key-names.ts'
import type { RedisCommand } from './tried-commands.ts'

/** Something that a process does with Redis: its commands, and the keys and channels it does it on. */
export interface RedisRights {
  commands: readonly RedisCommand[]
  /** Patterns after the root; `write` includes reading. */
  keys: readonly { name: string; access: 'read' | 'write' }[]
  channels: readonly string[]
}

const { meta, views, written, hold, probe, outcome } = KEY_NAMES
const { claim, claimsOfClient, claims, builds, unproved, webhook, limit, tried } = KEY_NAMES

const read = (...names: string[]) => names.map((name) => ({ name, access: 'read' as const }))
const write = (...names: string[]) => names.map((name) => ({ name, access: 'write' as const }))

/** A script is sent by its hash, and whole if the server does not know it. */
const BY_SCRIPT = ['eval', 'evalsha'] as const

/** Every use of Redis, by the service and its commands. */
export const REDIS_USES = {
  /** Checks the server, and whose keys there are. */
  examine: {
    commands: ['info', 'ping', 'type', 'hgetall'],
    keys: [...read(meta), ...read(`${tried}*`)],
    channels: [],
  },
  clock: { commands: ['time'], keys: [], channels: [] },
  /** Claims keys that are not there yet, and tries whether writes are taken. */
  serve: {
    commands: ['multi', 'exec', 'hsetnx', 'set'],
    keys: write(meta, probe, `${tried}*`),
    channels: [],
  },
  readViews: {
    commands: [
      ...['multi', 'exec', 'subscribe', 'get', 'mget', 'hget', 'hgetall', 'hmget'],
      ...['hkeys', 'xrange', 'xrevrange'],
    ] as RedisCommand[],
    keys: read(meta, `${views}*`, `${outcome}*`),
    channels: [OUTCOMES_CHANNEL],
  },
  writeViews: {
    commands: [
      ...['multi', 'exec', 'script|load', 'evalsha', 'publish', 'get', 'set', 'del', 'exists'],
      ...['hget', 'hmget', 'hset', 'xadd'],
    ] as RedisCommand[],
    // The root itself is named as a key to the script, which adds to it.
    keys: [...write('', `${views}*`, written, `${outcome}*`, `${tried}*`), ...read(meta, hold)],
    channels: [OUTCOMES_CHANNEL, TRIED_CHANNEL],
  },
  rebuildViews: {
    commands: [
      ...[...BY_SCRIPT, 'scan', 'copy', 'unlink', 'set', 'del'],
      ...['hget', 'hgetall', 'hmget', 'hset', 'hdel', 'hlen'],
    ] as RedisCommand[],
    keys: write('', meta, `${views}*`, hold, `${tried}*`),
    channels: [],
  },
  idempotency: {
    commands: [
      ...[...BY_SCRIPT, 'del', 'hget', 'hmget', 'hset', 'pexpire'],
      ...['zadd', 'zcard', 'zrange', 'zrem', 'zremrangebyscore'],
    ] as RedisCommand[],
    keys: write(`${claim}*`, `${claimsOfClient}*`, claims),
    channels: [],
  },
  builds: {
    commands: [
      ...[...BY_SCRIPT, 'hdel', 'hget', 'hset', 'pexpire'],
      ...['zadd', 'zcard', 'zrange', 'zrem'],
    ] as RedisCommand[],
    keys: write(builds, `${builds}:*`),
    channels: [],
  },
  pool: {
    commands: [
      ...[...BY_SCRIPT, 'set', 'mget', 'del', 'hdel', 'hget', 'hincrby', 'hset'],
      ...['sadd', 'smembers', 'srem', 'zadd', 'zcard', 'zrange', 'zrem'],
    ] as RedisCommand[],
    keys: write(`${unproved}*`),
    channels: [],
  },
  readPool: { commands: ['mget'], keys: read(`${unproved}*`), channels: [] },
  counts: {
    commands: [...BY_SCRIPT, 'get', 'incrby', 'pexpire', 'pttl'],
    keys: write(`${limit}*`),
    channels: [],
  },
  deliver: {
    commands: [...BY_SCRIPT, 'del', 'hget', 'hgetall', 'hset'],
    keys: write(`${webhook}*`),
    channels: [],
  },
  readDeliveries: { commands: ['hgetall'], keys: read(`${webhook}*`), channels: [] },
  sizes: { commands: ['info', 'scan', 'memory|usage'], keys: read('*'), channels: [] },
} as const satisfies Record<string, RedisRights>

export type RedisUse = keyof typeof REDIS_USES
export const ALL_REDIS_USES = Object.keys(REDIS_USES) as RedisUse[]

/** The least rights for all of these uses together, each once, in the order of their names. */
export function redisRights(uses: readonly RedisUse[]): RedisRights {
  const all: RedisRights[] = uses.map((use) => REDIS_USES[use])
  const keys = new Map<string, 'read' | 'write'>()
  for (const { name, access } of all.flatMap((one) => one.keys))
    if (keys.get(name) !== 'write') keys.set(name, access)
  return {
    commands: sorted(all.flatMap(({ commands }) => commands)),
    keys: sorted([...keys.keys()]).map((name) => ({ name, access: keys.get(name) ?? 'read' })),
    channels: sorted(all.flatMap(({ channels }) => channels)),
  }
}

const sorted = <T extends string>(names: readonly T[]): T[] => [...new Set(names)].sort()

/** As `ACL SETUSER` takes them: all rights of the user, and no other. */
export function redisRules({ commands, keys, channels }: RedisRights, root: string): string[] {
  return [
    ...keys.map(({ name, access }) => `${access === 'read' ? '%R~' : '~'}${root}${name}`),
    'resetchannels',
    ...channels.map((name) => `&${root}${name}`),
    ...commands.map((name) => `+${name}`),
  ]
}
