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

/**
 * The stored events of a relay, from the newest back to `since`. A relay answers with as many of
 * the newest matches as it likes, so the second in which a page ended is requested again, with
 * `until` one higher in case the relay leaves that out. If one second has more events than the
 * relay sends at once, the rest is not seen.
 */
export class Pages {
  readonly #since: number
  #until = Number.POSITIVE_INFINITY
  #oldest: number | null = null

  constructor(since: number) {
    this.#since = since
  }

  /** Without bounds: events stored later are sent as well, whatever age they claim. */
  first(): SaleFilter {
    return { kinds: [SALE_EVENT_KIND], limit: PAGE_EVENTS }
  }

  /** Notes an event of this page, by its time in Unix seconds. */
  saw(createdAt: number): void {
    if (createdAt > this.#until) return
    this.#oldest = Math.min(this.#oldest ?? createdAt, createdAt)
  }

  /** After the end of a page: the next one, or null when all pages were read. */
  next(): SaleFilter | null {
    const oldest = this.#oldest
    if (oldest === null) return null
    // A page's newest second is as complete as the relay sends it, whether or not it includes
    // `until`.
    const until = Math.min(oldest + 1, this.#until - 1)
    if (until < this.#since) return null
    this.#until = until
    this.#oldest = null
    return { ...this.first(), until, ...(this.#since > 0 && { since: this.#since }) }
  }
}
