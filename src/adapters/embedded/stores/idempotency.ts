import { createHash } from 'node:crypto'
import type { Database } from 'lmdb'
import {
  IDEMPOTENCY_BOUNDS,
  type IdempotencyBounds,
  type IdempotencyClaim,
  type IdempotencyStore,
  type IdempotentAnswer,
  MAX_ANSWER_BYTES,
} from '../../../ports/views/idempotency.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

interface StoredClaim {
  /** Hashed: an address is private. */
  client: string
  bodyHash: string
  /** Unix milliseconds. */
  begunAt: number
  answer: IdempotentAnswer | null
}

const KEPT_MS = 24 * 3_600_000
/** Longer than any request lives: after this, an unanswered claim of this process is dropped. */
const CLAIM_MS = 60_000
const FORGOTTEN_AT_ONCE = 100

/** Answers by idempotency key in the LMDB environment of DATA_DIR. */
export class EmbeddedIdempotency implements IdempotencyStore {
  readonly #store: LmdbStore
  readonly #bounds: IdempotencyBounds
  readonly #claims: Database<StoredClaim, string>
  /** Every claim by its client and by its age: used to enforce the bounds. */
  readonly #byClient: Database<true, [client: string, begunAt: number, scope: string]>
  readonly #byTime: Database<true, [begunAt: number, scope: string]>
  /** Claims of this process: an unanswered claim that is not here is from a process that died. */
  readonly #held = new Set<string>()
  /** Counted once: this process is the only writer here. */
  #count: number

  constructor(store: LmdbStore, bounds = IDEMPOTENCY_BOUNDS) {
    this.#store = store
    this.#bounds = bounds
    this.#claims = store.documents('idempotency')
    this.#byClient = store.table('idempotency by client and time')
    this.#byTime = store.table('idempotency by time')
    this.#count = this.#byTime.getKeysCount()
  }

  begin(text: string, name: string, bodyHash: string, now: number): Promise<IdempotencyClaim> {
    const [scope, client] = [shortOf(text), shortOf(name)]
    return this.#store.write(() => {
      this.#forgetOld(now)
      const known = this.#standing(scope, now)
      if (known && known.bodyHash !== bodyHash) return { status: 'other-body' }
      if (known?.answer) return { status: 'replay', answer: known.answer }
      if (known) return { status: 'in-use' }
      this.#makeRoom(client)
      this.#claims.putSync(scope, { client, bodyHash, begunAt: now, answer: null })
      this.#byClient.putSync([client, now, scope], true)
      this.#byTime.putSync([now, scope], true)
      this.#count += 1
      this.#held.add(scope)
      return { status: 'new' }
    })
  }

  async keep(text: string, answer: IdempotentAnswer, now: number): Promise<void> {
    const scope = shortOf(text)
    const tooLarge = Buffer.byteLength(answer.body) > MAX_ANSWER_BYTES
    await this.#store.write(() => {
      const claim = this.#claims.get(scope)
      if (!claim) return
      if (tooLarge || claim.begunAt + KEPT_MS <= now) this.#forget(scope, claim)
      else this.#claims.putSync(scope, { ...claim, answer })
    })
    this.#held.delete(scope)
  }

  async release(text: string): Promise<void> {
    const scope = shortOf(text)
    await this.#store.write(() => {
      const claim = this.#claims.get(scope)
      if (claim?.answer === null) this.#forget(scope, claim)
    })
    this.#held.delete(scope)
  }

  /** The claim under the scope, unless it is too old or its process died. Only within a write. */
  #standing(scope: string, now: number): StoredClaim | null {
    const claim = this.#claims.get(scope)
    if (!claim) return null
    const isLost =
      claim.answer === null && (!this.#held.has(scope) || claim.begunAt + CLAIM_MS <= now)
    if (!isLost && claim.begunAt + KEPT_MS > now) return claim
    this.#forget(scope, claim)
    return null
  }

  #forgetOld(now: number): void {
    const old = this.#byTime.getKeys({
      end: [now - KEPT_MS, AFTER_SCOPES],
      limit: FORGOTTEN_AT_ONCE,
    })
    for (const [begunAt, scope] of [...old]) {
      const claim = this.#claims.get(scope)
      if (claim?.begunAt === begunAt) this.#forget(scope, claim)
      else if (this.#byTime.removeSync([begunAt, scope])) this.#count -= 1
    }
  }

  /**
   * For one more claim: drops the client's own oldest, then the oldest of all. Only within a write.
   */
  #makeRoom(client: string): void {
    const { perClient, inAll } = this.#bounds
    const own = [...this.#byClient.getKeys({ start: [client], end: [client, AFTER_TIMES] })]
    const oldest = own.slice(0, Math.max(0, own.length - perClient + 1))
    for (const [, , scope] of oldest) this.#drop(scope)
    const over = this.#count - inAll + 1
    if (over > 0) {
      for (const [, scope] of [...this.#byTime.getKeys({ limit: over })]) this.#drop(scope)
    }
  }

  #drop(scope: string): void {
    const claim = this.#claims.get(scope)
    if (claim) this.#forget(scope, claim)
  }

  #forget(scope: string, { client, begunAt }: StoredClaim): void {
    this.#claims.removeSync(scope)
    this.#byClient.removeSync([client, begunAt, scope])
    if (this.#byTime.removeSync([begunAt, scope])) this.#count -= 1
    this.#held.delete(scope)
  }
}

/** A key of LMDB has a size limit; a scope holds text from the client. */
const shortOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Sorts after every time. */
const AFTER_TIMES = Number.MAX_SAFE_INTEGER
/** Sorts after every short scope. */
const AFTER_SCOPES = 'g'
