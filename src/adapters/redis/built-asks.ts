import canonicalize from 'canonicalize'
import {
  BUILT_ASK_BOUNDS,
  type BuiltAsk,
  type BuiltAskBounds,
  type BuiltAsks,
} from '../../ports/views/built-asks.ts'
import type { Txid } from '../../schemas/scalars.ts'
import { ServerScript } from './client/server-script.ts'
import { TAGS, taggedRoot } from './rights/key-names.ts'
import type { Keyspace } from './views/keyspace.ts'

const FORGOTTEN_AT_ONCE = 100

/**
 * An entry is `at outpoint` and the build's JSON. KEYS: entries, their ages, and the prefix by
 * output. ARGV: now, txid, outpoint, JSON, and the bounds: age, of one output, in all, at once.
 */
const REMEMBER = new ServerScript(`
local entries, ages, ofOutput = KEYS[1], KEYS[2], KEYS[3]
local now, txid, outpoint, built = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local kept, atOutput, inAll, atOnce = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local function forget(one)
  local entry = redis.call('HGET', entries, one)
  redis.call('ZREM', ages, one)
  if not entry then return end
  redis.call('HDEL', entries, one)
  redis.call('ZREM', ofOutput .. string.match(entry, '^%d+ (%S+) '), one)
end

for _, one in ipairs(redis.call('ZRANGE', ages, '-inf', now - kept, 'BYSCORE', 'LIMIT', 0, atOnce)) do
  forget(one)
end
local known = redis.call('HGET', entries, txid)
if known then
  local at, have = string.match(known, '^(%d+) %S+ (.*)$')
  if now - tonumber(at) < kept and have ~= built then return 0 end
  forget(txid)
end
if redis.call('ZCARD', ofOutput .. outpoint) >= atOutput then
  forget(redis.call('ZRANGE', ofOutput .. outpoint, 0, 0)[1])
end
if redis.call('ZCARD', ages) >= inAll then forget(redis.call('ZRANGE', ages, 0, 0)[1]) end
redis.call('HSET', entries, txid, ARGV[1] .. ' ' .. outpoint .. ' ' .. built)
redis.call('ZADD', ages, now, txid)
redis.call('ZADD', ofOutput .. outpoint, now, txid)
redis.call('PEXPIRE', ofOutput .. outpoint, kept)
return 1
`)

/**
 * Builds in Redis, for any number of gateways. All have one tag: the bounds of an output and of all are
 * kept by one script.
 */
export class RedisBuiltAsks implements BuiltAsks {
  readonly #keyspace: Keyspace
  readonly #bounds: BuiltAskBounds
  readonly #keys: [entries: string, ages: string, ofOutput: string]

  constructor(keyspace: Keyspace, bounds: BuiltAskBounds = BUILT_ASK_BOUNDS) {
    this.#keyspace = keyspace
    this.#bounds = bounds
    const root = taggedRoot(keyspace.root, TAGS.builds)
    this.#keys = [`${root}entries`, `${root}ages`, `${root}of:`]
  }

  async remember(unsignedTxid: Txid, built: BuiltAsk, now: number): Promise<boolean> {
    const { retentionMs, atOneOutput, inAll } = this.#bounds
    // The same build is the same text, in whatever order its fields were given.
    const text = canonicalize(built) ?? ''
    const bounds = [retentionMs, atOneOutput, inAll, FORGOTTEN_AT_ONCE]
    const remembered = await this.#keyspace.run((redis) =>
      REMEMBER.run(redis, this.#keys, [now, unsignedTxid, built.outpoint, text, ...bounds]),
    )
    return remembered === 1
  }

  async find(unsignedTxid: Txid, now: number): Promise<BuiltAsk | null> {
    const [entries] = this.#keys
    const entry = await this.#keyspace.run((redis) => redis.hget(entries, unsignedTxid))
    if (entry === null) return null
    const [at = ''] = entry.split(' ', 1)
    const isKept = now - Number(at) < this.#bounds.retentionMs
    return isKept ? (JSON.parse(entry.slice(entry.indexOf('{'))) as BuiltAsk) : null
  }
}
