import { createHash } from 'node:crypto'
import {
  IDEMPOTENCY_BOUNDS,
  type IdempotencyBounds,
  type IdempotencyClaim,
  type IdempotencyStore,
  type KeptAnswer,
  MOST_ANSWER_BYTES,
} from '../../ports/views/idempotency.ts'
import { ServerScript } from './client/server-script.ts'
import { KEY_NAMES } from './rights/key-names.ts'
import { type Keyspace, newName } from './views/keyspace.ts'

const KEPT_MS = 24 * 3_600_000
/**
 * Longer than any request lives: a claim still unanswered by then has lost its gateway. Gateways
 * use their own clocks, which must agree to within some seconds.
 */
const CLAIM_MS = 60_000

/**
 * KEYS: the claim, the claims of its client, those of all. ARGV: now, scope, body, token, where
 * claims are, the bounds.
 */
const BEGIN = new ServerScript(`
local claim, client, all = KEYS[1], KEYS[2], KEYS[3]
local now, scope, body, token, claims = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local kept, lease = tonumber(ARGV[6]), tonumber(ARGV[7])
local known = redis.call('HMGET', claim, 'body', 'begun', 'answer')
if known[1] then
  local age = now - tonumber(known[2])
  if age < kept and (known[3] or age < lease) then
    if known[1] ~= body then return { 'other-body' } end
    if known[3] then return { 'replay', known[3] } end
    return { 'in-use' }
  end
  redis.call('DEL', claim)
  redis.call('ZREM', client, scope)
  redis.call('ZREM', all, scope)
end
for index, most in pairs({ [client] = tonumber(ARGV[8]), [all] = tonumber(ARGV[9]) }) do
  redis.call('ZREMRANGEBYSCORE', index, '-inf', now - kept)
  local over = redis.call('ZCARD', index) - most
  local oldest = over < 0 and {} or redis.call('ZRANGE', index, 0, over)
  for _, old in ipairs(oldest) do
    local owner = redis.call('HGET', claims .. old, 'client')
    if owner then redis.call('ZREM', owner, old) end
    redis.call('ZREM', index, old)
    redis.call('ZREM', all, old)
    redis.call('DEL', claims .. old)
  end
end
redis.call('HSET', claim, 'body', body, 'begun', ARGV[1], 'token', token, 'client', client)
redis.call('PEXPIRE', claim, lease)
for _, index in ipairs({ client, all }) do
  redis.call('ZADD', index, now, scope)
  redis.call('PEXPIRE', index, kept)
end
return { 'new' }
`)

/** KEYS: as above. ARGV: now, scope, token, how long answers are kept, the answer or nothing. */
const END = new ServerScript(`
local claim, client, all = KEYS[1], KEYS[2], KEYS[3]
local known = redis.call('HMGET', claim, 'token', 'begun', 'answer')
if known[1] ~= ARGV[3] or known[3] then return 'not ours' end
local left = tonumber(known[2]) + tonumber(ARGV[4]) - tonumber(ARGV[1])
if ARGV[5] == '' or left <= 0 then
  redis.call('DEL', claim)
  redis.call('ZREM', client, ARGV[2])
  redis.call('ZREM', all, ARGV[2])
  return 'released'
end
redis.call('HSET', claim, 'answer', ARGV[5])
redis.call('PEXPIRE', claim, left)
return 'kept'
`)

/** A claim of this process, which must end it. */
interface Held {
  client: string
  token: string
}

/** Answers by idempotency key in Redis, for any number of gateways. */
export class RedisIdempotency implements IdempotencyStore {
  readonly #keyspace: Keyspace
  readonly #bounds: IdempotencyBounds
  readonly #held = new Map<string, Held>()

  constructor(keyspace: Keyspace, bounds = IDEMPOTENCY_BOUNDS) {
    this.#keyspace = keyspace
    this.#bounds = bounds
  }

  async begin(
    text: string,
    client: string,
    bodyHash: string,
    now: number,
  ): Promise<IdempotencyClaim> {
    const scope = shortOf(text)
    const token = newName()
    const { perClient, inAll } = this.#bounds
    const bounds = [KEPT_MS, CLAIM_MS, perClient, inAll]
    const claims = this.#keyspace.root + KEY_NAMES.claim
    const [status, answer = ''] = (await this.#keyspace.run((redis) =>
      BEGIN.run(redis, this.#keys(scope, client), [now, scope, bodyHash, token, claims, ...bounds]),
    )) as [IdempotencyClaim['status'], string?]
    if (status === 'replay') return { status, answer: JSON.parse(answer) as KeptAnswer }
    if (status === 'new') this.#held.set(scope, { client, token })
    return { status }
  }

  async keep(text: string, answer: KeptAnswer, now: number): Promise<void> {
    const tooLarge = Buffer.byteLength(answer.body) > MOST_ANSWER_BYTES
    await this.#end(shortOf(text), tooLarge ? '' : JSON.stringify(answer), now)
  }

  async release(text: string): Promise<void> {
    await this.#end(shortOf(text), '', 0)
  }

  /** Leaves a claim alone that was given up and now belongs to another gateway. */
  async #end(scope: string, answer: string, now: number): Promise<void> {
    const held = this.#held.get(scope)
    if (!held) return
    this.#held.delete(scope)
    const keys = this.#keys(scope, held.client)
    await this.#keyspace.run((redis) =>
      END.run(redis, keys, [now, scope, held.token, KEPT_MS, answer]),
    )
  }

  #keys(scope: string, client: string): string[] {
    const { root } = this.#keyspace
    return [
      `${root}${KEY_NAMES.claim}${scope}`,
      `${root}${KEY_NAMES.claimsOfClient}${shortOf(client)}`,
      root + KEY_NAMES.claims,
    ]
  }
}

/** A scope holds text from the client, of any length; an address is private. */
const shortOf = (text: string): string => createHash('sha256').update(text).digest('hex')
