import type { ChainableCommander } from 'ioredis'
import { type RedisCommands, repliesOf } from '../client/connection.ts'
import { isNoScript } from '../client/errors.ts'
import { loadScript } from '../client/servers.ts'
import { KEY_NAMES, META_FIELDS, OUTCOMES_CHANNEL } from '../rights/key-names.ts'
import { CHANGES_KEPT } from './changes.ts'
import type { Generation, Keyspace } from './keyspace.ts'

/**
 * The steps of a write, one call each within a transaction. `check` opens it under a token if the
 * generation still has its role, every order is as it was when the fold began and nothing of the
 * partition was lost; without that `put` and `finish` do nothing. `put` stores orders, their rows and
 * their changes. KEYS: the generation's prefix, and that of all keys. ARGV: the step, its token, a
 * JSON text, …
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
  if arg.role == '${META_FIELDS.current}' and redis.call('EXISTS', root .. '${KEY_NAMES.hold}') == 1 then return 'held' end
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
    redis.call('SET', root .. '${KEY_NAMES.outcome}' .. one[1], one[2], 'PX', arg.retentionMs)
    redis.call('PUBLISH', root .. '${OUTCOMES_CHANNEL}', one[3])
  end
  redis.call('DEL', p .. 'open')
  return 'done'
end

for i = 4, #ARGV, 5 do
  local id, text, bucket, key, row = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  redis.call('HSET', p .. 'docs', id, text)
  redis.call('HSET', p .. bucket, key, row)
  redis.call('XADD', p .. 'changes', 'MAXLEN', '~', ${CHANGES_KEPT}, '*', key, row)
end
return 'done'
`

/** The reply of a step. */
export type ScriptReply = 'open' | 'done' | 'closed' | 'stale' | 'lost' | 'moved' | 'held'
export type Step = [step: string, arg: object, ...texts: (string | Buffer)[]]

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
    redis: RedisCommands,
    generation: Generation,
    token: string,
    steps: readonly Step[],
  ): Promise<ScriptReply[]> {
    this.#sha ??= await loadScript(redis, SCRIPT)
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
