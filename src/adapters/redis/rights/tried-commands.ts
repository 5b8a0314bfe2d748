import { KEY_NAMES, TRIED_CHANNEL } from './key-names.ts'

/** Keys and a channel of their own, of which nothing stays. */
interface Tried {
  text: string
  hash: string
  members: string
  sorted: string
  stream: string
  channel: string
}

const UNKNOWN_SCRIPT = '0'.repeat(40)

/**
 * Every command that this service sends, by its name in an ACL, with the arguments that it is tried
 * with, in this order; null: it is used at every start.
 */
export const TRIED_COMMANDS = {
  info: null,
  subscribe: null,
  exec: null,
  multi: null,
  'cluster|slots': null,
  'cluster|info': () => [],
  ping: () => [],
  time: () => [],
  asking: () => [],
  set: ({ text }: Tried) => [text, '1', 'PX', '1'],
  unlink: ({ text }: Tried) => [text],
  incrby: ({ text }: Tried) => [text, '1'],
  get: ({ text }: Tried) => [text],
  mget: ({ text }: Tried) => [text],
  exists: ({ text }: Tried) => [text],
  type: ({ text }: Tried) => [text],
  pexpire: ({ text }: Tried) => [text, '1000'],
  pttl: ({ text }: Tried) => [text],
  copy: ({ text, hash }: Tried) => [text, hash, 'REPLACE'],
  'memory|usage': ({ text }: Tried) => [text],
  scan: ({ text }: Tried) => ['0', 'MATCH', text, 'COUNT', '1'],
  xadd: ({ stream }: Tried) => [stream, '*', 'a', '1'],
  xrange: ({ stream }: Tried) => [stream, '-', '+', 'COUNT', '1'],
  xrevrange: ({ stream }: Tried) => [stream, '+', '-', 'COUNT', '1'],
  del: ({ text, hash, stream }: Tried) => [text, hash, stream],
  hset: ({ hash }: Tried) => [hash, 'a', '1'],
  hsetnx: ({ hash }: Tried) => [hash, 'a', '1'],
  hincrby: ({ hash }: Tried) => [hash, 'a', '1'],
  hget: ({ hash }: Tried) => [hash, 'a'],
  hmget: ({ hash }: Tried) => [hash, 'a'],
  hgetall: ({ hash }: Tried) => [hash],
  hlen: ({ hash }: Tried) => [hash],
  hkeys: ({ hash }: Tried) => [hash],
  hdel: ({ hash }: Tried) => [hash, 'a'],
  sadd: ({ members }: Tried) => [members, 'a'],
  smembers: ({ members }: Tried) => [members],
  srem: ({ members }: Tried) => [members, 'a'],
  zadd: ({ sorted }: Tried) => [sorted, '1', 'a'],
  zrange: ({ sorted }: Tried) => [sorted, '0', '0'],
  zcard: ({ sorted }: Tried) => [sorted],
  zrem: ({ sorted }: Tried) => [sorted, 'a'],
  zremrangebyscore: ({ sorted }: Tried) => [sorted, '0', '1'],
  zscore: ({ sorted }: Tried) => [sorted, 'a'],
  publish: ({ channel }: Tried) => [channel, ''],
  eval: ({ text }: Tried) => ['return 1', '1', text],
  'script|load': () => ['return 1'],
  evalsha: ({ text }: Tried) => [UNKNOWN_SCRIPT, '1', text],
} as const satisfies Record<string, ((tried: Tried) => string[]) | null>

export type RedisCommand = keyof typeof TRIED_COMMANDS

/** Commands as they are sent to try them, on keys below the root. */
export function triesOf(commands: readonly RedisCommand[], root: string): string[][] {
  const at = (what: string) => `${root}${KEY_NAMES.tried}${what}`
  const tried: Tried = {
    ...{ text: at('text'), hash: at('hash'), members: at('members') },
    ...{ sorted: at('sorted'), stream: at('stream'), channel: `${root}${TRIED_CHANNEL}` },
  }
  return Object.entries(TRIED_COMMANDS).flatMap(([name, argumentsOf]) =>
    argumentsOf && commands.includes(name as RedisCommand)
      ? [[...name.split('|'), ...argumentsOf(tried)]]
      : [],
  )
}

/**
 * Keys as they are asked for to try them. A script that the server does not know changes nothing, and
 * needs all rights to its keys.
 */
export const tryOfKey = (key: string, access: 'read' | 'write'): string[] =>
  access === 'write' ? ['evalsha', UNKNOWN_SCRIPT, '1', key] : ['type', key]
