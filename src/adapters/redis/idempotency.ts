import { createHash } from 'node:crypto'
import type { IdempotencyClaim, IdempotencyStore, KeptAnswer } from '../../ports/idempotency.ts'
import { type Keyspace, newName } from './keyspace.ts'
import { ServerScript } from './server-script.ts'

const KEPT_MS = 24 * 3_600_000
const MOST_ANSWER_BYTES = 64 * 1_024
const MOST_PER_CLIENT = 1_000
/**
 * Longer than any request lives: a claim without an answer by then has lost its gateway. Gateways
 * tell the time themselves, so their clocks must agree to some seconds.
 */
const CLAIM_MS = 60_000

/** KEYS: the claim, the claims of its client. ARGV: now, scope, body, token, the bounds. */
const BEGIN = new ServerScript(`
local claim, client = KEYS[1], KEYS[2]
local now, scope, body, token = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local kept, lease, most = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
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
end
redis.call('ZREMRANGEBYSCORE', client, '-inf', now - kept)
if redis.call('ZCARD', client) >= most then return { 'too-many' } end
redis.call('HSET', claim, 'body', body, 'begun', ARGV[1], 'token', token)
redis.call('PEXPIRE', claim, lease)
redis.call('ZADD', client, now, scope)
redis.call('PEXPIRE', client, kept)
return { 'new' }
`)

/** KEYS: as above. ARGV: now, scope, token, how long answers are kept, the answer or nothing. */
const END = new ServerScript(`
local claim, client = KEYS[1], KEYS[2]
local known = redis.call('HMGET', claim, 'token', 'begun', 'answer')
if known[1] ~= ARGV[3] or known[3] then return 'not ours' end
local left = tonumber(known[2]) + tonumber(ARGV[4]) - tonumber(ARGV[1])
if ARGV[5] == '' or left <= 0 then
  redis.call('DEL', claim)
  redis.call('ZREM', client, ARGV[2])
  return 'released'
end
redis.call('HSET', claim, 'answer', ARGV[5])
redis.call('PEXPIRE', claim, left)
return 'kept'
`)

/** A claim of this process, to be ended by it. */
interface Held {
  client: string
  token: string
}

/** Answers by idempotency key in Redis, for any number of gateways. */
export class RedisIdempotency implements IdempotencyStore {
  readonly #keyspace: Keyspace
  readonly #held = new Map<string, Held>()

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace
  }

  async begin(
    text: string,
    client: string,
    bodyHash: string,
    now: number,
  ): Promise<IdempotencyClaim> {
    const scope = shortOf(text)
    const token = newName()
    const bounds = [KEPT_MS, CLAIM_MS, MOST_PER_CLIENT]
    const [status, answer = ''] = (await this.#keyspace.run((redis) =>
      BEGIN.run(redis, this.#keys(scope, client), [now, scope, bodyHash, token, ...bounds]),
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

  /** One that was given up meanwhile, and is another gateway's now, is left to it. */
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
    return [`${root}claim:${scope}`, `${root}claims:${client}`]
  }
}

/** A scope holds text of the client's, of any length. */
const shortOf = (scope: string): string => createHash('sha256').update(scope).digest('hex')
