import { breakOf, type ChainEnd } from '../domain/order/change-chain.ts'
import { ChainBreakError } from '../ports/log/chain-break.ts'
import type { Stored } from '../ports/log/event-log.ts'
import type { StoredRows } from '../ports/views/history.ts'
import type { ChangeRecord } from '../schemas/log.ts'
import type { OrderId } from '../schemas/scalars.ts'
import { changesOf } from './read-lifecycle.ts'

/** Orders whose last change is remembered: some 2 MB. */
const REMEMBERED = 10_000

/**
 * Checks the chain where changes are read and orders are not kept: each change against its own hash, and
 * against the one before it, if that was among the last of 10,000 orders.
 */
export class ChainCheck {
  /** The order that was changed last comes last. */
  readonly #ends = new Map<OrderId, NonNullable<ChainEnd>>()

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
    const isAside = end && (seq < end.seq || seq > end.seq + 1)
    if (isAside) throw new ChainBreakError(change, `comes after change ${end.seq}`)
    const why = end || seq === 1 ? breakOf(end ?? null, change) : null
    if (why) throw new ChainBreakError(change, why)
    this.#ends.delete(orderId)
    this.#ends.set(orderId, { seq, hash })
    const [oldest] = this.#ends.keys()
    if (this.#ends.size > REMEMBERED && oldest) this.#ends.delete(oldest)
  }
}
