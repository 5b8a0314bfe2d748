import { timingSafeEqual } from 'node:crypto'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { KeyTier } from '../../schemas/customers/key-records.ts'
import { RefusalError } from '../refusal.ts'
import { endOf, type FoldedKeys, foldKeys, followKeys } from './key-registry.ts'
import { hashOfKey, isWellFormedKey } from './key-text.ts'

/** Who sent a valid key. */
export interface Customer {
  name: string
  /** Null: the configuration has no such tier; a stranger's limits apply. */
  tier: KeyTier | null
}

export const KEYS_UNREAD = 'the keys of customers are not read yet'

/** Bytes of a hash that find the key whose whole hash is then compared. */
const INDEX_BYTES = 8
const NO_HASH = Buffer.alloc(32)

interface Accepted {
  hash: Buffer
  name: string
  /** Unix milliseconds. */
  until: number
}

/** The keys as this process last read them, which it follows: a revoked one ends within moments. */
export class CustomerKeys {
  readonly #tiers: ReadonlyMap<string, KeyTier>
  readonly #clock: Pick<Clock, 'now'>
  /** Null: not read yet. */
  #accepted: ReadonlyMap<string, Accepted> | null = null
  /** The offset of the record that follows those. */
  #next = 0
  #tierOf: ReadonlyMap<string, string> = new Map()

  constructor(tiers: ReadonlyMap<string, KeyTier>, clock: Pick<Clock, 'now'>) {
    this.#tiers = tiers
    this.#clock = clock
  }

  /** Follows the topic until the signal aborts. */
  follow(log: Pick<EventLog, 'stored' | 'read'>, signal: AbortSignal): Promise<void> {
    return followKeys({ log, clock: this.#clock }, (folded) => this.#show(folded), signal)
  }

  /** Reads the keys as they are now. */
  async refresh(log: Pick<EventLog, 'stored'>): Promise<void> {
    this.#show(await foldKeys({ log, clock: this.#clock }))
  }

  /**
   * The customer whose key it is; null: no customer's. The hash is found by a few of its bytes, and
   * then compared whole, in the same time whether it is there or not.
   *
   * @throws RefusalError STORAGE_UNAVAILABLE: the keys are not read yet
   */
  recognise(token: string): Customer | null {
    if (!this.#accepted) {
      throw new RefusalError('STORAGE_UNAVAILABLE', KEYS_UNREAD)
    }
    const hash = hashOfKey(token)
    const found = this.#accepted.get(indexOf(hash))
    const isSame = timingSafeEqual(hash, found?.hash ?? NO_HASH)
    if (!found || !isSame || !isWellFormedKey(token)) return null
    const { name, until } = found
    return until > this.#clock.now() ? { name, tier: this.tierOf(name) } : null
  }

  /** The tier of a customer; null: unknown. */
  tierOf(name: string): KeyTier | null {
    return this.#tiers.get(this.#tierOf.get(name) ?? '') ?? null
  }

  #show({ keys, next }: FoldedKeys): void {
    // The follower may be behind what was read since.
    if (next < this.#next) return
    this.#next = next
    const accepted = new Map<string, Accepted>()
    const tierOf = new Map<string, string>()
    for (const { name, tier, secrets } of keys) {
      tierOf.set(name, tier)
      for (const secret of secrets) {
        const hash = Buffer.from(secret.sha256, 'hex')
        accepted.set(indexOf(hash), { hash, name, until: endOf(secret) })
      }
    }
    this.#accepted = accepted
    this.#tierOf = tierOf
  }
}

const ACCOUNT = 'key:'

/** What a customer's share of the stores is counted under: no address of a client begins like that. */
export const accountOfCustomer = (name: string): string => `${ACCOUNT}${name}`

/** The customer whose account it is; null: it is a client's. */
export const customerOfAccount = (account: string): string | null =>
  account.startsWith(ACCOUNT) ? account.slice(ACCOUNT.length) : null

const indexOf = (hash: Buffer): string => hash.toString('hex', 0, INDEX_BYTES)
