import type { Source } from '../../schemas/scalars.ts'
import { UnavailableError } from '../base-errors.ts'

/**
 * A source of unsolicited orders: a relay, an offers feed. Its items are hostile until judged:
 * adapters bound their size, rate and time before they parse them.
 */
export interface OrderFeed {
  readonly source: Exclude<Source, 'direct-import'>
  /** Its address: the key of its cursor. */
  readonly url: string
  /**
   * Connects, and yields items since the cursor of an earlier read, then new ones, until the signal
   * aborts. The next batch is not read before the last one was taken: a slow consumer slows the
   * feed. Ends by itself only by throwing `FeedError`.
   *
   * @param cursor null: from the beginning
   */
  read(cursor: number | null, signal: AbortSignal): AsyncIterable<FeedBatch>
}

export interface FeedBatch {
  items: readonly FeedItem[]
  /** Unix seconds: everything the feed had until then has been yielded. Null: not known yet. */
  cursor: number | null
  /** More had arrived when this was yielded. */
  isBehind: boolean
}

export type FeedItem =
  /** An event as parsed from JSON, nothing verified; `id` is its own claim. */
  | { kind: 'event'; id: string; event: unknown }
  /** The text of a PSBT; `id` is its SHA-256. */
  | { kind: 'offer'; id: string; psbt: string }
  /** Not what was requested, or not in the protocol: an honest feed never sends it. */
  | { kind: 'lie'; detail: string }
  /** An honest feed may send it, but it is too large to be examined. */
  | { kind: 'oversized'; detail: string }

/** Why a feed is paused, and what that means: a closed list. */
export const FEED_TROUBLES = {
  unreachable: 'There is no connection, or it was lost.',
  silent: 'The connection was silent for too long.',
  flood: 'It sent too much that was not new.',
  too_large: 'It sent a message that is too large.',
  malformed: 'It violates the protocol.',
  declined: 'It does not serve the request.',
  lies: 'It repeatedly sent unrequested or false data.',
  not_stored: 'Its data could not be stored here.',
  node_away: 'The node, which is needed to examine its data, does not answer.',
} as const
export type FeedTrouble = keyof typeof FEED_TROUBLES

/** The feed is unusable now: retry later. */
export class FeedError extends UnavailableError {
  override name = 'FeedError'
  readonly part = 'feed'
  readonly trouble: FeedTrouble

  constructor(trouble: FeedTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.trouble = trouble
  }
}
