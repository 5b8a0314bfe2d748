import type { Source } from '../schemas/scalars.ts'

/**
 * Somewhere orders are told of that nobody here asked for: a relay, an offers feed. What it tells is
 * hostile until it was judged: adapters bound its size, its pace and its time before they parse it.
 */
export interface OrderFeed {
  readonly source: Exclude<Source, 'direct-import'>
  /** Its address: what its cursor is kept by. */
  readonly url: string
  /**
   * Connects, and tells what came since the cursor of an earlier read and what comes, until the
   * signal aborts. The next batch is not looked for before the last one was taken: whoever is slow
   * slows the feed. Never ends by itself but by throwing `FeedFault`.
   *
   * @param cursor null: from the beginning
   */
  read(cursor: number | null, signal: AbortSignal): AsyncIterable<FeedBatch>
}

export interface FeedBatch {
  items: readonly FeedItem[]
  /** Unix seconds: all that the feed had until then has been told. Null: that cannot be said yet. */
  cursor: number | null
  /** More had come when this was told. */
  isBehind: boolean
}

export type FeedItem =
  /** An event as parsed from JSON, nothing of it verified; `id` is what it calls itself. */
  | { kind: 'event'; id: string; event: unknown }
  /** The text of a PSBT; `id` is its SHA-256. */
  | { kind: 'offer'; id: string; psbt: string }
  /** Not what was asked for, or not what the protocol has: an honest feed never tells it. */
  | { kind: 'lie'; detail: string }
  /** An honest feed may tell it, but it is larger than what is looked at. */
  | { kind: 'oversized'; detail: string }

/** Why a feed is let alone for a while, with what it means: a closed list. */
export const FEED_TROUBLES = {
  unreachable: 'No connection, or it was lost.',
  silent: 'It kept the connection and said nothing for too long.',
  flood: 'It sent more than is read that brought nothing new.',
  too_large: 'It sent more in one piece than is read.',
  malformed: 'It does not speak the protocol.',
  declined: 'It does not serve what was asked for.',
  lies: 'It told what was not asked for, or what is not true, again and again.',
  not_stored: 'What it told could not be stored here.',
  node_away: 'The node, which examines what it tells, gives no answer.',
} as const
export type FeedTrouble = keyof typeof FEED_TROUBLES

/** The feed is of no use now: come back later. */
export class FeedFault extends Error {
  override name = 'FeedFault'
  readonly trouble: FeedTrouble

  constructor(trouble: FeedTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.trouble = trouble
  }
}
