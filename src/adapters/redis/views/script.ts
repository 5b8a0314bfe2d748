import type { ChainableCommander, Redis } from 'ioredis'
import { repliesOf } from '../client/connection.ts'
import { isNoScript } from '../client/errors.ts'
import { CHANGES_KEPT } from '../order-index/changes.ts'
import { CHUNK_SLOTS } from '../order-index/slot-set.ts'
import { KEY_NAMES, OUTCOMES_CHANNEL } from '../rights/key-names.ts'
import type { Generation, Keyspace } from './keyspace.ts'

/**
 * The steps of a write, one call each within a transaction. `check` opens it under a token if the
 * generation still has its role, every order is as it was when the fold began and nothing of the
 * partition was lost; without that `put` and `finish` do nothing. `put` notes the bitmaps that an order
 * left and entered. KEYS: the generation's prefix,
 * and that of all keys. ARGV: the step, its token, a JSON text, …
 */
const SCRIPT = `
local p, root, step, token, arg = KEYS[1], KEYS[2], ARGV[1], ARGV[2], cjson.decode(ARGV[3])
local function offset_in(name)
  return tonumber(redis.call('HGET', p .. name, arg.partition) or '0')
end
local function has_role()
  return redis.call('HGET', root .. '${KEY_NAMES.meta}', arg.role) == arg.name
end

if step == 'freshness' then
  if not has_role() then return 'moved' end
  if offset_in('positions') < arg.reached then return 'lost' end
  redis.call('HSET', p .. 'freshness', arg.partition, ARGV[4])
  return 'done'
end

if step == 'check' then
  redis.call('DEL', p .. 'open')
  if not has_role() then return 'moved' end
  if arg.role == 'generation' and redis.call('EXISTS', root .. '${KEY_NAMES.hold}') == 1 then return 'held' end
  if offset_in('positions') < arg.reached then return 'lost' end
  for _, one in ipairs(arg.bases) do
    local have = redis.call('HGET', p .. 'docs', one[1])
    local seq = have and string.match(have, '^%d+') or '0'
    if seq ~= one[2] then return 'stale' end
  end
  redis.call('SET', p .. 'open', token)
  return 'open'
end

if redis.call('GET', p .. 'open') ~= token then return 'closed' end

if step == 'finish' then
  for _, name in ipairs({ 'positions', 'writing' }) do
    local at = math.max(offset_in(name), arg[name])
    redis.call('HSET', p .. name, arg.partition, string.format('%d', at))
  end
  for _, one in ipairs(arg.outcomes) do
    redis.call('SET', root .. '${KEY_NAMES.outcome}' .. one[1], one[2], 'PX', arg.keptMs)
    redis.call('PUBLISH', root .. '${OUTCOMES_CHANNEL}', one[3])
  end
  redis.call('DEL', p .. 'open')
  return 'done'
end

local old = redis.call('HGET', p .. 'docs', arg.id)
local slot = old and string.match(old, '^%d+ (%d+) ')
  or string.format('%d', redis.call('INCR', p .. 'slots') - 1)
redis.call('HSET', p .. 'docs', arg.id, arg.seq .. ' ' .. slot .. ' ' .. arg.partition .. ' ' .. ARGV[4])
redis.call('HSET', p .. 'rows', slot, ARGV[5])
local chunk = string.format('%d', math.floor(tonumber(slot) / ${CHUNK_SLOTS}))
local offset = tonumber(slot) % ${CHUNK_SLOTS}

for _, bit in ipairs(arg.leave.bits) do
  local key = p .. 'b:' .. bit[1] .. ':' .. chunk
  redis.call('SETBIT', key, offset, 0)
  if redis.call('BITCOUNT', key) == 0 then redis.call('DEL', key) end
  if #bit > 1 and redis.call('HINCRBY', p .. 'counts', bit[1], -1) == 0 then
    redis.call('HDEL', p .. 'counts', bit[1])
    for i = 2, #bit do redis.call('ZREM', p .. 'words', bit[i]) end
  end
end
for _, entry in ipairs(arg.leave.terms) do redis.call('ZREM', p .. 'terms', entry .. slot) end
for _, one in ipairs(arg.leave.members) do redis.call('ZREM', p .. 'sort:' .. one[1], one[2] .. slot) end

for _, bit in ipairs(arg.enter.bits) do
  redis.call('SETBIT', p .. 'b:' .. bit[1] .. ':' .. chunk, offset, 1)
  if #bit > 1 and redis.call('HINCRBY', p .. 'counts', bit[1], 1) == 1 then
    for i = 2, #bit do redis.call('ZADD', p .. 'words', 0, bit[i]) end
  end
end
for _, entry in ipairs(arg.enter.terms) do redis.call('ZADD', p .. 'terms', 0, entry .. slot) end
for _, one in ipairs(arg.enter.members) do redis.call('ZADD', p .. 'sort:' .. one[1], 0, one[2] .. slot) end

local change = { 'slot', slot }
for step, bits in pairs({ leave = arg.leave.bits, enter = arg.enter.bits }) do
  for _, bit in ipairs(bits) do
    change[#change + 1] = step
    change[#change + 1] = bit[1]
  end
end
redis.call('XADD', p .. 'changes', 'MAXLEN', '~', ${CHANGES_KEPT}, '*', unpack(change))
return 'done'
`

/** The reply of a step. */
export type ScriptReply = 'open' | 'done' | 'closed' | 'stale' | 'lost' | 'moved' | 'held'
export type Step = [step: string, arg: object, ...texts: string[]]

/** The script of the writes; sent again if Redis no longer knows it. */
export class ViewScript {
  readonly #keyspace: Keyspace
  #sha: string | null = null

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace
  }

  /** Runs the steps as one transaction on a generation; returns their replies. */
  run(generation: Generation, token: string, steps: readonly Step[]): Promise<ScriptReply[]> {
    return this.#keyspace.run(async (redis) => {
      try {
        return await this.#transact(redis, generation, token, steps)
      } catch (error) {
        if (!isNoScript(error)) throw error
        this.#sha = null
        return await this.#transact(redis, generation, token, steps)
      }
    })
  }

  async #transact(
    redis: Redis,
    generation: Generation,
    token: string,
    steps: readonly Step[],
  ): Promise<ScriptReply[]> {
    this.#sha ??= String(await redis.script('LOAD', SCRIPT))
    const prefix = this.#keyspace.prefixOf(generation)
    const { root } = this.#keyspace
    // A plain write comes first: if memory is full, it makes Redis refuse the whole transaction.
    const transaction: ChainableCommander = redis.multi().set(root + KEY_NAMES.written, '')
    for (const [step, arg, ...texts] of steps) {
      const text = JSON.stringify({ ...arg, ...generation })
      transaction.evalsha(this.#sha, 2, prefix, root, step, token, text, ...texts)
    }
    return repliesOf(await transaction.exec()).slice(1) as ScriptReply[]
  }
}
