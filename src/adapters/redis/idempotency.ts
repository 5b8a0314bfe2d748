import { createHash } from 'node:crypto'
import {
  IDEMPOTENCY_BOUNDS,
  type IdempotencyBounds,
  type IdempotencyClaim,
  type IdempotencyStore,
  type IdempotentAnswer,
  MAX_ANSWER_BYTES,
} from '../../ports/views/idempotency.ts'
import { ServerScript } from './client/server-script.ts'
import { KEY_NAMES, TAGS, taggedRoot, tagOfClient } from './rights/key-names.ts'
import { type Keyspace, newName } from './views/keyspace.ts'

const KEPT_MS = 24 * 3_600_000
/**
 * Longer than any request lives: a claim still unanswered by then has lost its gateway. Gateways
 * use their own clocks, which must agree to within some seconds.
 */
const CLAIM_MS = 60_000

/**
 * Claims for a client, within its own bound. KEYS: the claim, the claims of its client. ARGV: now, scope,
 * body, token, where claims are, how long answers are kept and claims last, the bound. Returns the status,
 * and the answer, or the scopes that were dropped for it.
 */
const BEGIN = new ServerScript(`
local claim, client = KEYS[1], KEYS[2]
local now, scope, body, token, claims = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local kept, lease, most = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
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
local over = redis.call('ZCARD', client) - most
local oldest = over < 0 and {} or redis.call('ZRANGE', client, 0, over)
for _, old in ipairs(oldest) do
  redis.call('ZREM', client, old)
  redis.call('DEL', claims .. old)
end
redis.call('HSET', claim, 'body', body, 'begun', ARGV[1], 'token', token)
redis.call('PEXPIRE', claim, lease)
redis.call('ZADD', client, now, scope)
redis.call('PEXPIRE', client, kept)
return { 'new', unpack(oldest) }
`)

/**
 * Counts a claim among all. KEYS: the claims of all clients. ARGV: now, its entry, how long answers are
 * kept, the bound, entries that are gone. Returns the oldest ones beyond the bound, and counts them no more.
 */
const COUNT = new ServerScript(`
local all, now, most = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[4])
for at = 5, #ARGV do redis.call('ZREM', all, ARGV[at]) end
redis.call('ZADD', all, now, ARGV[2])
redis.call('PEXPIRE', all, ARGV[3])
redis.call('ZREMRANGEBYSCORE', all, '-inf', now - ARGV[3])
local over = redis.call('ZCARD', all) - most
if over <= 0 then return {} end
local oldest = redis.call('ZRANGE', all, 0, over - 1)
for _, old in ipairs(oldest) do redis.call('ZREM', all, old) end
return oldest
`)

/** KEYS: as for BEGIN. ARGV: the scope. */
const DROP = new ServerScript(`
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
`)

/**
 * KEYS: as for BEGIN. ARGV: now, scope, token, how long answers are kept, the answer or nothing.
 */
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

type ServedKeys = Pick<Keyspace, 'root' | 'run'>

/** Where a claim is. */
interface ClaimKey {
  /** A hash of the client. */
  client: string
  tag: string
  /** A hash of the scope. */
  scope: string
}

/** A claim of this process, which must end it. */
interface HeldClaim extends ClaimKey {
  token: string
}

/**
 * Answers by idempotency key in Redis, for any number of gateways. A client's claims have its tag, and its
 * bound is kept by the script that claims. All claims are counted under a tag of their own, after that: of
 * a process that ends in between, a claim is not counted until it is given up, or one is kept that others
 * no longer make room for.
 */
export class RedisIdempotency implements IdempotencyStore {
  readonly #keyspace: ServedKeys
  readonly #bounds: IdempotencyBounds
  readonly #held = new Map<string, HeldClaim>()
  readonly #all: string

  constructor(keyspace: ServedKeys, bounds = IDEMPOTENCY_BOUNDS) {
    this.#keyspace = keyspace
    this.#bounds = bounds
    this.#all = taggedRoot(keyspace.root, TAGS.claims) + KEY_NAMES.claims
  }

  async begin(
    text: string,
    clientText: string,
    bodyHash: string,
    now: number,
  ): Promise<IdempotencyClaim> {
    const scope = shortOf(text)
    const client = shortOf(clientText)
    const claim = { scope, client, tag: tagOfClient(clientText), token: newName() }
    const [status, ...rest] = await this.#begin(claim, bodyHash, now)
    if (status === 'replay')
      return { status, answer: JSON.parse(rest[0] ?? '') as IdempotentAnswer }
    if (status === 'new') {
      this.#held.set(scope, claim)
      try {
        await this.#count(claim, rest, now)
      } catch (error) {
        // Its request fails, and may be sent again.
        await this.release(text).catch(() => undefined)
        throw error
      }
    }
    return { status }
  }

  async keep(text: string, answer: IdempotentAnswer, now: number): Promise<void> {
    const tooLarge = Buffer.byteLength(answer.body) > MAX_ANSWER_BYTES
    await this.#endHeld(shortOf(text), tooLarge ? '' : JSON.stringify(answer), now)
  }

  async release(text: string): Promise<void> {
    await this.#endHeld(shortOf(text), '', 0)
  }

  async #begin(
    claim: HeldClaim,
    bodyHash: string,
    now: number,
  ): Promise<[IdempotencyClaim['status'], ...string[]]> {
    const claims = this.#rootOf(claim) + KEY_NAMES.claim
    const args = [now, claim.scope, bodyHash, claim.token, claims]
    const bounds = [KEPT_MS, CLAIM_MS, this.#bounds.perClient]
    try {
      const begun = await this.#run(BEGIN, this.#keys(claim), [...args, ...bounds])
      return begun as [IdempotencyClaim['status'], ...string[]]
    } catch (error) {
      // Redis may have it, or may do it later: its request fails now, and may be sent again.
      this.#end(claim, '', 0).catch(() => undefined)
      throw error
    }
  }

  /** Counts a claim, and drops those that all clients together have too many. */
  async #count(claim: ClaimKey, gone: readonly string[], now: number): Promise<void> {
    const entries = gone.map((scope) => entryOf({ ...claim, scope }))
    const args = [now, entryOf(claim), KEPT_MS, this.#bounds.inAll, ...entries]
    const over = (await this.#run(COUNT, [this.#all], args)) as string[]
    await Promise.all(over.map(claimOf).map((old) => this.#run(DROP, this.#keys(old), [old.scope])))
  }

  async #endHeld(scope: string, answer: string, now: number): Promise<void> {
    const held = this.#held.get(scope)
    if (!held) return
    this.#held.delete(scope)
    await this.#end(held, answer, now)
  }

  /** Leaves a claim alone that was given up and now belongs to another gateway. */
  async #end(held: HeldClaim, answer: string, now: number): Promise<void> {
    const args = [now, held.scope, held.token, KEPT_MS, answer]
    const ended = await this.#run(END, this.#keys(held), args)
    if (ended === 'released') {
      await this.#keyspace.run((redis) => redis.zrem(this.#all, entryOf(held)))
    }
  }

  #run(
    script: ServerScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return this.#keyspace.run((redis) => script.run(redis, keys, args))
  }

  #keys(claim: ClaimKey): string[] {
    const root = this.#rootOf(claim)
    return [root + KEY_NAMES.claim + claim.scope, root + KEY_NAMES.claimsOfClient + claim.client]
  }

  #rootOf({ tag }: ClaimKey): string {
    return taggedRoot(this.#keyspace.root, tag)
  }
}

/** The entry of a claim in the set of all claims. */
const entryOf = ({ tag, client, scope }: ClaimKey): string => `${tag} ${client} ${scope}`

function claimOf(entry: string): ClaimKey {
  const [tag = '', client = '', scope = ''] = entry.split(' ')
  return { tag, client, scope }
}

/** A scope holds text from the client, of any length; an address is private. */
const shortOf = (text: string): string => createHash('sha256').update(text).digest('hex')
