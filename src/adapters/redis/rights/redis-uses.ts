import { isCluster, type RedisAddress } from '../client/redis-clients.ts'
import { KEY_NAMES, OUTCOMES_CHANNEL, TAGS, TRIED_CHANNEL, taggedRoot } from './key-names.ts'
import type { RedisCommand } from './tried-commands.ts'

/** Keys by a pattern: of a tag, or of several, and what follows their root. */
export interface KeyRight {
  tag: string
  name: string
  /** `write` includes reading. */
  access: 'read' | 'write'
}

/** Something that a process does with Redis: its commands, and the keys and channels it does it on. */
export interface RedisRights {
  commands: readonly RedisCommand[]
  keys: readonly KeyRight[]
  channels: readonly string[]
}

const { meta, views, written, hold, probe, outcome } = KEY_NAMES
const { claim, claimsOfClient, claims, limit, tried } = KEY_NAMES
const { builds, unproved } = TAGS
const [ofClients, ofWebhooks] = [`${TAGS.client}*`, `${TAGS.webhook}*`]

const keysOf =
  (access: KeyRight['access']) =>
  (tag: string, ...names: string[]): KeyRight[] =>
    names.map((name) => ({ tag, name, access }))
const readAt = keysOf('read')
const writeAt = keysOf('write')
const read = (...names: string[]) => readAt('', ...names)
const write = (...names: string[]) => writeAt('', ...names)

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
    keys: [
      ...writeAt(ofClients, `${claim}*`, `${claimsOfClient}*`),
      ...writeAt(TAGS.claims, claims),
    ],
    channels: [],
  },
  builds: {
    commands: [
      ...[...BY_SCRIPT, 'hdel', 'hget', 'hset', 'pexpire'],
      ...['zadd', 'zcard', 'zrange', 'zrem'],
    ] as RedisCommand[],
    keys: writeAt(builds, '*'),
    channels: [],
  },
  pool: {
    commands: [
      ...[...BY_SCRIPT, 'set', 'mget', 'del', 'hdel', 'hget', 'hincrby', 'hset'],
      ...['sadd', 'smembers', 'srem', 'zadd', 'zcard', 'zrange', 'zrem', 'zscore'],
    ] as RedisCommand[],
    keys: writeAt(unproved, '*'),
    channels: [],
  },
  readPool: { commands: ['mget'], keys: readAt(unproved, '*'), channels: [] },
  counts: {
    commands: [...BY_SCRIPT, 'get', 'incrby', 'pexpire', 'pttl'],
    keys: writeAt(ofClients, `${limit}*`),
    channels: [],
  },
  deliver: {
    commands: [...BY_SCRIPT, 'del', 'hget', 'hgetall', 'hset'],
    keys: writeAt(ofWebhooks, '*'),
    channels: [],
  },
  readDeliveries: { commands: ['hgetall'], keys: readAt(ofWebhooks, '*'), channels: [] },
  sizes: {
    commands: ['info', 'scan', 'memory|usage'],
    keys: [...read('*'), ...readAt('*', '*')],
    channels: [],
  },
  /** Whatever else is done, if it is done on a cluster: which server has which keys. */
  cluster: { commands: ['asking', 'cluster|info', 'cluster|slots'], keys: [], channels: [] },
} as const satisfies Record<string, RedisRights>

export type RedisUse = keyof typeof REDIS_USES
/** On one server. */
export const ALL_REDIS_USES = (Object.keys(REDIS_USES) as RedisUse[]).filter(
  (use) => use !== 'cluster',
)

/** What these uses need on a Redis at this address. */
export const usesAt = (
  address: Pick<RedisAddress, 'url' | 'sentinels'>,
  uses: readonly RedisUse[],
): RedisUse[] => (isCluster(address) ? [...uses, 'cluster'] : [...uses])

/** The least rights for all of these uses together, each once, in the order of their names. */
export function redisRights(uses: readonly RedisUse[]): RedisRights {
  const all: RedisRights[] = uses.map((use) => REDIS_USES[use])
  const keys = new Map<string, KeyRight>()
  for (const right of all.flatMap((one) => one.keys)) {
    const name = `${right.tag} ${right.name}`
    if (keys.get(name)?.access !== 'write') keys.set(name, right)
  }
  return {
    commands: sorted(all.flatMap(({ commands }) => commands)),
    keys: sorted([...keys.keys()]).flatMap((name) => keys.get(name) ?? []),
    channels: sorted(all.flatMap(({ channels }) => channels)),
  }
}

const sorted = <T extends string>(names: readonly T[]): T[] => [...new Set(names)].sort()

export const patternOf = ({ tag, name }: Pick<KeyRight, 'tag' | 'name'>, root: string): string =>
  taggedRoot(root, tag) + name

/** As `ACL SETUSER` takes them: all rights of the user, and no other. */
export function redisRules({ commands, keys, channels }: RedisRights, root: string): string[] {
  return [
    ...keys.map((right) => `${right.access === 'read' ? '%R~' : '~'}${patternOf(right, root)}`),
    'resetchannels',
    ...channels.map((name) => `&${root}${name}`),
    ...commands.map((name) => `+${name}`),
  ]
}
