import { createHash } from 'node:crypto'
import type { Database } from 'lmdb'
import type { IdempotencyClaim, IdempotencyStore, KeptAnswer } from '../../ports/idempotency.ts'
import type { LmdbStore } from './lmdb-store.ts'

interface Claim {
  client: string
  bodyHash: string
  /** Unix milliseconds. */
  begunAt: number
  answer: KeptAnswer | null
}

const KEPT_MS = 24 * 3_600_000
const MOST_ANSWER_BYTES = 64 * 1_024
const MOST_PER_CLIENT = 1_000
/** Longer than any request lives: a claim of this process without an answer by then is given up. */
const CLAIM_MS = 60_000
const FORGOTTEN_AT_ONCE = 100

/** Answers by idempotency key in the LMDB environment of DATA_DIR. */
export class EmbeddedIdempotency implements IdempotencyStore {
  readonly #store: LmdbStore
  readonly #claims: Database<Claim, string>
  /** Every claim by its client and by its age: what bounds them. */
  readonly #byClient: Database<true, [client: string, scope: string]>
  readonly #byTime: Database<true, [begunAt: number, scope: string]>
  /** Claims of this process: one that is not here and has no answer lost its process. */
  readonly #held = new Set<string>()

  constructor(store: LmdbStore) {
    this.#store = store
    this.#claims = store.documents('idempotency')
    this.#byClient = store.table('idempotency by client')
    this.#byTime = store.table('idempotency by time')
  }

  begin(text: string, client: string, bodyHash: string, now: number): Promise<IdempotencyClaim> {
    const scope = shortOf(text)
    return this.#store.write(() => {
      this.#forgetOld(now)
      const known = this.#standing(scope, now)
      if (known && known.bodyHash !== bodyHash) return { status: 'other-body' }
      if (known?.answer) return { status: 'replay', answer: known.answer }
      if (known) return { status: 'in-use' }
      if (this.#countOf(client) >= MOST_PER_CLIENT) return { status: 'too-many' }
      this.#claims.putSync(scope, { client, bodyHash, begunAt: now, answer: null })
      this.#byClient.putSync([client, scope], true)
      this.#byTime.putSync([now, scope], true)
      this.#held.add(scope)
      return { status: 'new' }
    })
  }

  async keep(text: string, answer: KeptAnswer, now: number): Promise<void> {
    const scope = shortOf(text)
    const tooLarge = Buffer.byteLength(answer.body) > MOST_ANSWER_BYTES
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

  /** The claim under the scope, unless it is too old or its process is gone. Only within a write. */
  #standing(scope: string, now: number): Claim | null {
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
      else this.#byTime.removeSync([begunAt, scope])
    }
  }

  #forget(scope: string, { client, begunAt }: Claim): void {
    this.#claims.removeSync(scope)
    this.#byClient.removeSync([client, scope])
    this.#byTime.removeSync([begunAt, scope])
    this.#held.delete(scope)
  }

  #countOf(client: string): number {
    return this.#byClient.getKeysCount({ start: [client], end: [client, AFTER_SCOPES] })
  }
}

/** A key of LMDB has a size limit; a scope holds text of the client's. */
const shortOf = (scope: string): string => createHash('sha256').update(scope).digest('hex')

/** Sorts after every short scope. */
const AFTER_SCOPES = 'g'
