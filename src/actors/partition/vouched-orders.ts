import type { Vouched } from '../../schemas/log.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { type IdRange, LAST_ID } from './sweep-window.ts'

/** How long an order is remembered at least: its check may be lost with the process that has it. */
const REMEMBERED_MS = 120_000
/** Orders remembered for that time: the sweep comes to the rest in their own turn. */
const MAX_REMEMBERED = 8_192
/** Orders that wait for a sweep without room: it comes to more of them in their own turn, too. */
const MAX_WAITING = 2 * MAX_REMEMBERED
/** An order is remembered by the first bytes of its id. */
const NAME_BYTES = 8
const NAME_HEX = 2 * NAME_BYTES

/**
 * Orders that are LIVE by what node and index said to a gateway: the sweep asks about them
 * first (ADR 108). They belong to the partition's snapshot, so that a new owner hands them over
 * again.
 */
export class VouchedOrders {
  readonly #waiting: string[]
  #newer: string[]
  #older: string[]
  #turnedMs: number | null

  constructor(stored?: Vouched) {
    this.#newer = namesIn(stored?.newer ?? '')
    this.#older = namesIn(stored?.older ?? '')
    this.#turnedMs = stored ? Date.parse(stored.turnedAt) : null
    this.#waiting = [...this.#older, ...this.#newer]
  }

  add(id: OrderId): void {
    if (this.#newer.length >= MAX_REMEMBERED) return
    const name = id.slice(0, NAME_HEX)
    this.#newer.push(name)
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(name)
  }

  /** A watermark of that time was consumed, Unix milliseconds. */
  reach(ms: number): void {
    if (this.#turnedMs !== null && ms - this.#turnedMs < REMEMBERED_MS) return
    this.#older = this.#newer
    this.#newer = []
    this.#turnedMs = ms
  }

  /** The next to be handed over, each as a range of ids that holds it. */
  take(limit: number): IdRange[] {
    return this.#waiting.splice(0, limit).map((name) => ({
      after: name.padEnd(LAST_ID.length, '0'),
      upTo: name.padEnd(LAST_ID.length, 'f'),
    }))
  }

  /** As the partition's snapshot has it; null: there are none. */
  stored(): Vouched | null {
    if (this.#turnedMs === null || this.#newer.length + this.#older.length === 0) return null
    return {
      turnedAt: new Date(this.#turnedMs).toISOString(),
      older: textOf(this.#older),
      newer: textOf(this.#newer),
    }
  }
}

const textOf = (names: readonly string[]): string =>
  Buffer.from(names.join(''), 'hex').toString('base64')

function namesIn(text: string): string[] {
  const hex = Buffer.from(text, 'base64').toString('hex')
  return Array.from({ length: hex.length / NAME_HEX }, (_, n) =>
    hex.slice(n * NAME_HEX, (n + 1) * NAME_HEX),
  )
}
