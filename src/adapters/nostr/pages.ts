import { SALE_EVENT_KIND } from '../../schemas/nostr.ts'

/** NIP-01. */
export interface SaleFilter {
  kinds: [typeof SALE_EVENT_KIND]
  limit: number
  /** Unix seconds, inclusive both; some relays leave `until` itself out. */
  since?: number
  until?: number
}

/** Events of one answer; relays may give less, and do not say so. */
const PAGE_EVENTS = 500

/**
 * The stored events of a relay, from the newest back to `since`. A relay answers with the newest that
 * match, as many as it likes, so the second that a page ended in is asked for again, by the one after it
 * as well where `until` is left out. Of more events of one second than the relay gives at once the rest
 * is not seen.
 */
export class Pages {
  readonly #since: number
  #until = Number.POSITIVE_INFINITY
  #oldest: number | null = null

  constructor(since: number) {
    this.#since = since
  }

  /** Without bounds: what is stored later is told as well, however old it says that it is. */
  first(): SaleFilter {
    return { kinds: [SALE_EVENT_KIND], limit: PAGE_EVENTS }
  }

  /** An event of this page, by its time in Unix seconds. */
  saw(createdAt: number): void {
    if (createdAt > this.#until) return
    this.#oldest = Math.min(this.#oldest ?? createdAt, createdAt)
  }

  /** After the end of a page: the next one, or null when all were seen. */
  next(): SaleFilter | null {
    const oldest = this.#oldest
    if (oldest === null) return null
    // Of the newest second of a page all was told that is told at once, with or without `until` itself.
    const until = Math.min(oldest + 1, this.#until - 1)
    if (until < this.#since) return null
    this.#until = until
    this.#oldest = null
    return { ...this.first(), until, ...(this.#since > 0 && { since: this.#since }) }
  }
}
