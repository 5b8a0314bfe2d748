import {
  POOL_BOUNDS,
  type PoolBounds,
  type PoolSize,
  type PutInPool,
  type UnprovedPool,
  type UnprovedQuery,
} from '../../ports/views/unproved-pool.ts'
import type { Txid } from '../../schemas/scalars.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import { ageOf, listName, pack, poolFactsOf, revisionOf, unpack } from '../pool-facts.ts'
import { ServerScript } from './client/server-script.ts'
import { TAGS, taggedRoot } from './rights/key-names.ts'
import type { Keyspace } from './views/keyspace.ts'

const FORGOTTEN_AT_ONCE = 100
const READ_AT_ONCE = 16
const ID_LENGTH = 64
/** The clocks of two gateways: what one made due is due by that of another. */
const CLOCKS_APART_MS = 5_000

/**
 * `P` is the prefix of all keys of the pool; an entry's bytes have their own key, which expires.
 */
const COMMON = `
local P = KEYS[1]
local function count(name, orders, bytes)
  if redis.call('HINCRBY', P .. 'orders', name, orders) == 0 then
    redis.call('HDEL', P .. 'orders', name)
    redis.call('HDEL', P .. 'bytes', name)
  else
    redis.call('HINCRBY', P .. 'bytes', name, bytes)
  end
end
local function drop(id)
  local text = redis.call('HGET', P .. 'facts', id)
  if not text then return end
  local f = cjson.decode(text)
  redis.call('HDEL', P .. 'facts', id)
  redis.call('DEL', P .. 'one:' .. id)
  redis.call('ZREM', P .. 'ages', id)
  redis.call('ZREM', P .. 'due', id)
  redis.call('ZREM', P .. 'output:' .. f.outpoint, id)
  redis.call('ZREM', P .. 'client:' .. f.client, id)
  redis.call('SREM', P .. 'txid:' .. f.txid, id)
  for _, name in ipairs(f.lists) do
    redis.call('ZREM', P .. 'newest:' .. name, f.newest)
    redis.call('ZREM', P .. 'oldest:' .. name, f.oldest)
  end
  count('client ' .. f.client, -1, -f.bytes)
  count('all', -1, -f.bytes)
end
local function forgetOld(before, atOnce)
  local old = redis.call('ZRANGE', P .. 'ages', '-inf', before, 'BYSCORE', 'LIMIT', 0, atOnce)
  for _, id in ipairs(old) do drop(id) end
end
local function isRevision(text, revision)
  if not text then return false end
  local known = cjson.decode(text).revision
  return not known or known == revision
end
local function tally(name)
  return tonumber(redis.call('HGET', P .. 'orders', name) or '0'),
    tonumber(redis.call('HGET', P .. 'bytes', name) or '0')
end
`

/**
 * ARGV: now, id, facts, bytes; then the bounds: age, of an output, of a client, its bytes, all,
 * bytes, at once; then the revision that was read, empty if none was. Returns whether it was written.
 */
const PUT = new ServerScript(`${COMMON}
local now, id, text, packed = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local kept, atOutput = tonumber(ARGV[5]), tonumber(ARGV[6])
local ofClient, bytesOfClient = tonumber(ARGV[7]), tonumber(ARGV[8])
local inAll, bytesInAll = tonumber(ARGV[9]), tonumber(ARGV[10])
local f = cjson.decode(text)
local known = redis.call('HGET', P .. 'facts', id)
if ARGV[12] ~= '' then
  if not isRevision(known, ARGV[12]) then return 0 end
elseif known and cjson.decode(known).importedAt > now - kept then
  return 0
end
local due = tonumber(redis.call('ZSCORE', P .. 'due', id) or math.huge)
if due <= now + ${CLOCKS_APART_MS} then f.lookAt = due end
local output, client = P .. 'output:' .. f.outpoint, P .. 'client:' .. f.client
forgetOld(now - kept, ARGV[11])
drop(id)
local function dropFirst(key)
  local first = redis.call('ZRANGE', key, 0, 0)[1]
  if not first then return false end
  drop(first)
  return true
end
while redis.call('ZCARD', output) >= atOutput do dropFirst(output) end
local function makeRoom(name, key, mostOrders, mostBytes)
  local orders, bytes = tally(name)
  while orders >= mostOrders or bytes + f.bytes > mostBytes do
    if not dropFirst(key) then return end
    orders, bytes = tally(name)
  end
end
makeRoom('client ' .. f.client, client, ofClient, bytesOfClient)
makeRoom('all', P .. 'ages', inAll, bytesInAll)

redis.call('HSET', P .. 'facts', id, text)
redis.call('SET', P .. 'one:' .. id, packed, 'PX', math.max(1, f.importedAt + kept - now))
redis.call('ZADD', P .. 'ages', f.importedAt, id)
if f.lookAt then redis.call('ZADD', P .. 'due', f.lookAt, id) end
redis.call('ZADD', output, f.importedAt, id)
redis.call('ZADD', client, f.importedAt, id)
redis.call('SADD', P .. 'txid:' .. f.txid, id)
for _, name in ipairs(f.lists) do
  redis.call('ZADD', P .. 'newest:' .. name, 0, f.newest)
  redis.call('ZADD', P .. 'oldest:' .. name, 0, f.oldest)
end
count('client ' .. f.client, 1, f.bytes)
count('all', 1, f.bytes)
return 1
`)

/** ARGV: id, revision. Returns whether nothing is left. */
const REMOVE = new ServerScript(`${COMMON}
local known = redis.call('HGET', P .. 'facts', ARGV[1])
if known and not isRevision(known, ARGV[2]) then return 0 end
drop(ARGV[1])
return 1
`)

/** ARGV: now, lease, limit. */
const TAKE_DUE = new ServerScript(`${COMMON}
local ids = redis.call('ZRANGE', P .. 'due', '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do redis.call('ZADD', P .. 'due', ARGV[1] + ARGV[2], id) end
return ids
`)

/** ARGV: now, txids. */
const WAKE = new ServerScript(`${COMMON}
for at = 2, #ARGV do
  for _, id in ipairs(redis.call('SMEMBERS', P .. 'txid:' .. ARGV[at])) do
    redis.call('ZADD', P .. 'due', ARGV[1], id)
  end
end
`)

/** ARGV: the time before which everything is old, how many at once. */
const TIDY = new ServerScript(`${COMMON}
forgetOld(ARGV[1], ARGV[2])
return { tally('all') }
`)

/**
 * The pool in Redis, for any number of gateways. All of it has one tag: an order is in the lists, the
 * outputs and the bounds of all clients, which one script keeps together. It is bounded as a whole.
 */
export class RedisUnprovedPool implements UnprovedPool {
  readonly #keyspace: Keyspace
  readonly #bounds: PoolBounds
  readonly #prefix: string

  constructor(keyspace: Keyspace, bounds: PoolBounds = POOL_BOUNDS) {
    this.#keyspace = keyspace
    this.#bounds = bounds
    this.#prefix = taggedRoot(keyspace.root, TAGS.unproved)
  }

  async put(entry: UnprovedOrder, before: UnprovedOrder | null, nowMs: number): Promise<PutInPool> {
    const packed = await pack(entry)
    const b = this.#bounds
    const { bytes } = packed
    if (bytes.length > b.bytesOfOne) return 'too large'
    const { id } = entry.order
    const facts = poolFactsOf(entry, packed)
    const members = { newest: memberOf(facts, id, true), oldest: memberOf(facts, id, false) }
    const { lookAt, ...rest } = facts
    const text = JSON.stringify({ ...rest, ...(lookAt !== null && { lookAt }), ...members })
    const bounds = [
      b.retentionMs,
      b.atOneOutput,
      b.ofOneClient,
      b.bytesOfOneClient,
      b.inAll,
      b.bytesInAll,
      FORGOTTEN_AT_ONCE,
    ]
    const read = before ? revisionOf(before) : ''
    const written = await this.#run(PUT, [nowMs, id, text, bytes, ...bounds, read])
    return written === 1 ? 'kept' : 'changed'
  }

  async find(id: string): Promise<UnprovedOrder | null> {
    const [found] = await this.#read([id])
    return found ?? null
  }

  async remove(entry: UnprovedOrder): Promise<boolean> {
    return (await this.#run(REMOVE, [entry.order.id, revisionOf(entry)])) === 1
  }

  async atOutput(outpoint: string): Promise<UnprovedOrder[]> {
    const key = `${this.#prefix}output:${outpoint}`
    return await this.#read(await this.#keyspace.run((redis) => redis.zrange(key, 0, -1, 'REV')))
  }

  async list({
    state,
    source,
    newestFirst,
    limit,
    after,
  }: UnprovedQuery): Promise<UnprovedOrder[]> {
    const key = `${this.#prefix}${newestFirst ? 'newest' : 'oldest'}:${listName(state, source)}`
    const from = after ? `(${memberOf(after, after.id, newestFirst)}` : '-'
    const members = await this.#keyspace.run((redis) =>
      redis.zrange(key, from, '+', 'BYLEX', 'LIMIT', 0, limit),
    )
    return await this.#read(members.map((member) => member.slice(-ID_LENGTH)))
  }

  async count({ state, source }: Pick<UnprovedQuery, 'state' | 'source'>): Promise<number> {
    const key = `${this.#prefix}newest:${listName(state, source)}`
    return await this.#keyspace.run((redis) => redis.zcard(key))
  }

  async takeDue(nowMs: number, leaseMs: number, limit: number): Promise<UnprovedOrder[]> {
    return await this.#read((await this.#run(TAKE_DUE, [nowMs, leaseMs, limit])) as string[])
  }

  async wake(txids: readonly Txid[], nowMs: number): Promise<void> {
    await this.#run(WAKE, [nowMs, ...txids])
  }

  async tidy(nowMs: number): Promise<PoolSize> {
    const before = nowMs - this.#bounds.retentionMs
    const [orders, bytes] = (await this.#run(TIDY, [before, FORGOTTEN_AT_ONCE])) as [number, number]
    return { orders, bytes }
  }

  /** One after another, with turns of the event loop between: an entry may have 256 KiB packed. */
  async #read(ids: readonly string[]): Promise<UnprovedOrder[]> {
    const entries: UnprovedOrder[] = []
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const keys = ids.slice(at, at + READ_AT_ONCE).map((id) => `${this.#prefix}one:${id}`)
      const packed = await this.#keyspace.run((redis) => redis.mgetBuffer(keys))
      for (const bytes of packed) if (bytes) entries.push(await unpack(bytes))
    }
    return entries
  }

  #run(script: ServerScript, args: readonly (string | number | Buffer)[]): Promise<unknown> {
    return this.#keyspace.run((redis) => script.run(redis, [this.#prefix], args))
  }
}

/** All times that occur fit in this many digits: members sort by their bytes. */
const TIME_DIGITS = 15
const TIME_END = 10 ** TIME_DIGITS - 1

function memberOf({ createdAt }: { createdAt: string }, id: string, newestFirst: boolean): string {
  const age = ageOf(createdAt, newestFirst)
  return `${String(newestFirst ? TIME_END + age : age).padStart(TIME_DIGITS, '0')} ${id}`
}
