import { SALE_EVENT_KIND } from '../../schemas/wire/nostr.ts'

/** NIP-01. */
export interface SaleFilter {
  kinds: [typeof SALE_EVENT_KIND]
  limit: number
  /** Unix seconds, inclusive both; some relays leave `until` itself out. */
  since?: number
  until?: number
}

/** Events per answer; relays may send fewer without saying so. */
const PAGE_EVENTS = 500

/** Events of a page, and new ones beside it, whose ids are kept: more than an honest page has. */
const MAX_NOTED = 4 * PAGE_EVENTS

/**
 * The stored events of a relay, from the newest back to `since`. A relay answers with as many of
 * the newest matches as it likes, so the second in which a page ended is requested again, with
 * `until` one higher in case the relay leaves that out. If one second has more events than the
 * relay sends at once, the rest is not seen.
 *
 * A relay sends what is published meanwhile among the events of a page, whatever time it claims.
 * Such an event says nothing about where the page ends: if it counted, one that claims to be old
 * would end the reading.
 */
export class Pages {
  readonly #since: number
  #until = Number.POSITIVE_INFINITY
  /** The times of this page's events, by id. */
  #page = new Map<string, number>()
  #published = new Set<string>()

  constructor(since: number) {
    this.#since = since
  }

  /** Without bounds: events stored later are sent as well, whatever age they claim. */
  first(): SaleFilter {
    return { kinds: [SALE_EVENT_KIND], limit: PAGE_EVENTS }
  }

  /** Notes an event of this page, by its time in Unix seconds. */
  saw(id: string, createdAt: number): void {
    if (createdAt <= this.#until && this.#page.size < MAX_NOTED) this.#page.set(id, createdAt)
  }

  /** Notes an event that the subscription to new ones sent while this page was read. */
  published(id: string): void {
    this.#published.add(id)
    if (this.#published.size <= MAX_NOTED) return
    for (const oldest of this.#published) {
      this.#published.delete(oldest)
      break
    }
  }

  /** After the end of a page: the next one, or null when all pages were read. */
  next(): SaleFilter | null {
    const end = this.#end()
    this.#page.clear()
    this.#published.clear()
    if (end === null) return null
    // A page's newest second is as complete as the relay sends it, whether or not it includes
    // `until`.
    const until = Math.min(end + 1, this.#until - 1)
    if (until < this.#since) return null
    this.#until = until
    return { ...this.first(), until, ...(this.#since > 0 && { since: this.#since }) }
  }

  /** The second in which this page ends; null: it is empty. */
  #end(): number | null {
    const stored = [...this.#page].filter(([id]) => !this.#published.has(id))
    if (stored.length > 0) return Math.min(...stored.map(([, createdAt]) => createdAt))
    // All of it may be new, and the relay full of it: the older ones are behind its newest.
    return this.#page.size > 0 ? Math.max(...this.#page.values()) : null
  }
}
