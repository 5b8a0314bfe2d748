import { breakOf, type ChainEnd } from '../domain/order/change-chain.ts'
import { ChainBreakError } from '../ports/log/chain-break.ts'
import type { Stored } from '../ports/log/event-log.ts'
import type { StoredRows } from '../ports/views/history.ts'
import type { ChangeRecord } from '../schemas/log.ts'
import type { OrderId } from '../schemas/scalars.ts'
import { changesOf } from './read-lifecycle.ts'

/** Orders whose last change is remembered, and changes whose hash is: some 4 MB. */
const REMEMBERED = 10_000

/**
 * Checks the chain where changes are read and orders are not kept: each change against its own hash, and
 * against the one before it, if that was among the last of 10,000 orders.
 */
export class ChainCheck {
  /** The order that was changed last comes last. */
  readonly #ends = new Map<OrderId, NonNullable<ChainEnd>>()
  /** Hashes of the last changes, by order and seq; the last comes last. */
  readonly #hashes = new Map<string, string>()

  /** The changes of a batch up to the first that breaks a chain or cannot be read, and why it is not taken. */
  soundOf(batch: readonly Stored<unknown>[]): {
    sound: StoredRows[]
    broken: { offset: number; error: unknown } | null
  } {
    const sound: StoredRows[] = []
    for (const record of batch) {
      try {
        sound.push(...this.#checked(record))
      } catch (error) {
        return { sound, broken: { offset: record.offset, error } }
      }
    }
    return { sound, broken: null }
  }

  #checked(record: Stored<unknown>): StoredRows[] {
    const rows = changesOf(record)
    for (const { change } of rows) this.#follow(change)
    return rows
  }

  #follow(change: ChangeRecord): void {
    const { orderId, seq, hash } = change
    const end = this.#ends.get(orderId)
    // Releases up to 0.9.0 may have sent some changes twice, one after the other.
    if (end && seq < end.seq && this.#hashes.get(`${orderId} ${seq}`) === hash) return
    const isAside = end && (seq < end.seq || seq > end.seq + 1)
    if (isAside) throw new ChainBreakError(change, `comes after change ${end.seq}`)
    const why = end || seq === 1 ? breakOf(end ?? null, change) : null
    if (why) throw new ChainBreakError(change, why)
    putLast(this.#ends, orderId, { seq, hash })
    putLast(this.#hashes, `${orderId} ${seq}`, hash)
  }
}

/** The oldest goes. */
function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest)
}
