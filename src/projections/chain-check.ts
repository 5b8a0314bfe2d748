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

  /** The changes of a batch up to the first that breaks a chain, and that break. Throws as `changesOf`. */
  soundOf(batch: readonly Stored<unknown>[]): {
    sound: StoredRows[]
    broken: ChainBreakError | null
  } {
    const sound: StoredRows[] = []
    try {
      for (const record of batch) sound.push(...this.#checked(record))
      return { sound, broken: null }
    } catch (error) {
      if (!(error instanceof ChainBreakError)) throw error
      return { sound, broken: error }
    }
  }

  #checked(record: Stored<unknown>): StoredRows[] {
    const rows = changesOf(record)
    for (const { change } of rows) this.#follow(change)
    return rows
  }

  #follow(change: ChangeRecord): void {
    const { orderId, seq, hash } = change
    const end = this.#ends.get(orderId)
    if (end && seq < end.seq) return
    if (end && seq > end.seq + 1) throw new ChainBreakError(change, `comes after change ${end.seq}`)
    const why = end || seq === 1 ? breakOf(end ?? null, change) : null
    if (why) throw new ChainBreakError(change, why)
    this.#ends.delete(orderId)
    this.#ends.set(orderId, { seq, hash })
    const [oldest] = this.#ends.keys()
    if (this.#ends.size > REMEMBERED && oldest) this.#ends.delete(oldest)
  }
}
