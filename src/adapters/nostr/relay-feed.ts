import {
  type FeedBatch,
  FeedError,
  type FeedItem,
  type OrderFeed,
} from '../../ports/feeds/order-feed.ts'
import type { Clock } from '../../runtime/clock.ts'
import { openRateLimiter } from '../../runtime/rate-limiter.ts'
import type { Rate } from '../../runtime/token-bucket.ts'
import { SALE_EVENT_KIND } from '../../schemas/wire/nostr.ts'
import { RelayFrame } from '../../schemas/wire/relay.ts'
import { Pages, type SaleFilter } from './pages.ts'
import { openRelaySocket, type RelaySocket, type SocketLimits } from './relay-socket.ts'
import { RelaySubscription } from './relay-subscription.ts'
import type { RelayMessage } from './waiting-frames.ts'

export interface RelayLimits extends SocketLimits {
  /** Messages that are parsed. */
  rate: Rate
  /** A longer message is not parsed. */
  maxFrameCharacters: number
  /** A request for stored events that yields nothing for this long counts as unanswered. */
  answerMs: number
  /** New events are requested again: some relays lose what comes while they answer. */
  refreshMs: number
}

export const RELAY_LIMITS: RelayLimits = {
  maxFrameBytes: 2 ** 20,
  // More than an event whose content is the largest order.
  maxFrameCharacters: 2 ** 18,
  pauseAt: { messages: 256, characters: 2 ** 20 },
  maxWaiting: { messages: 4_096, characters: 2 ** 22 },
  // A flood has no burst to begin with: stored events come at this pace as well.
  rate: { perSecond: 100, burst: 100 },
  connectMs: 10_000,
  pingMs: 30_000,
  answerMs: 60_000,
  refreshMs: 600_000,
}

/** Limits of a relay that the operator trusts (ADR 109). */
export const TRUSTED_RELAY_LIMITS: RelayLimits = {
  ...RELAY_LIMITS,
  rate: { perSecond: 500, burst: 500 },
}

/** Seconds read again: relays pass events on late, and publishers' clocks are wrong. */
export const OVERLAP_SECONDS = 86_400

/** How much of a relay's text is reported to the operator. */
const MAX_SAID = 200

const NOT_NIP_01: FeedItem = { kind: 'lie', detail: 'a message that is not in NIP-01' }

export interface RelayFeedOptions {
  /** ws or wss. */
  url: string
  clock: Clock
  limits?: RelayLimits
}

/** The kind 802 events of one relay (NIP-01). Read only: nothing but REQ and CLOSE is sent. */
export function openRelayFeed({ url, clock, limits = RELAY_LIMITS }: RelayFeedOptions): OrderFeed {
  return {
    source: 'portable-nostr802',
    url,
    read: (cursor, signal) => readRelay({ url, clock, limits }, cursor, signal),
  }
}

async function* readRelay(
  { url, clock, limits }: Required<RelayFeedOptions>,
  cursor: number | null,
  signal: AbortSignal,
): AsyncGenerator<FeedBatch> {
  const budget = openRateLimiter(limits.rate, clock)
  const connectedAt = Math.floor(clock.now() / 1_000)
  const socket = await openRelaySocket(url, limits, clock, signal)
  try {
    // A clock that was ahead when the cursor was stored must not hide new events.
    const from = Math.min(cursor ?? 0, connectedAt) - OVERLAP_SECONDS
    const reading = new RelayReading(socket, Math.max(0, from))
    let askedAt = clock.monotonic()
    for (;;) {
      const message = await socket.next(limits.answerMs)
      if (message === null) return
      const { isBehind } = socket
      const { isCaughtUp } = reading
      // The awaited answer may be queued behind messages not read yet.
      if (!isCaughtUp && isBehind) askedAt = clock.monotonic()
      if (!isCaughtUp && clock.monotonic() - askedAt > limits.answerMs) {
        throw new FeedError('silent', `no stored events ${reading.lastSaid}`)
      }
      if (message === 'late') continue
      await budget.take(signal)
      if (message.kind === 'pong' && isCaughtUp) {
        yield { items: [], cursor: message.pingedAt, isBehind }
        if (clock.monotonic() - askedAt < limits.refreshMs) continue
        reading.refresh()
        askedAt = clock.monotonic()
      }
      const items = itemsOf(message, reading, limits)
      if (reading.progressed()) askedAt = clock.monotonic()
      const isFirst = reading.isCaughtUp && !isCaughtUp
      yield { items, cursor: isFirst ? connectedAt : null, isBehind }
    }
  } finally {
    socket.close()
  }
}

/** Messages without an item are yielded too: so a relay that sends nothing else is detected. */
function itemsOf(
  message: RelayMessage,
  reading: RelayReading,
  { maxFrameCharacters }: RelayLimits,
): FeedItem[] {
  if (message.kind === 'binary') return [NOT_NIP_01]
  return message.kind === 'text' ? reading.take(message.text, maxFrameCharacters) : []
}

/** One conversation with a relay: what was requested, and what its messages mean for that. */
class RelayReading {
  readonly #socket: RelaySocket
  readonly #pages: Pages
  /** New events. */
  readonly #live = new RelaySubscription('live')
  /**
   * The stored ones, page by page: apart from the new ones, so that an event that both bring is
   * known to be new.
   */
  readonly #older = new RelaySubscription('older')
  /** The subscription whose stored events are awaited; null: all were received. */
  #awaited: string | null
  #hasProgressed = false
  #notice: string | null = null

  constructor(socket: RelaySocket, since: number) {
    this.#socket = socket
    this.#pages = new Pages(since)
    this.refresh()
    this.#awaited = this.#live.name
  }

  /** Requests the newest stored events and all new ones, before it gives up the last such request. */
  refresh(): void {
    const before = this.#live.name
    this.#request(this.#live, this.#pages.first())
    this.#end(before)
  }

  #request(subscription: RelaySubscription, filter: SaleFilter): void {
    this.#socket.send(['REQ', subscription.open(), filter])
  }

  #end(name: string | null): void {
    if (name !== null) this.#socket.send(['CLOSE', name])
  }

  get isCaughtUp(): boolean {
    return this.#awaited === null
  }

  /** What a relay that does not answer sent instead, if anything. */
  get lastSaid(): string {
    return this.#notice === null ? 'received' : `received, but a notice: ${this.#notice}`
  }

  /** Has a stored event or the end of a page come since the last call? */
  progressed(): boolean {
    const has = this.#hasProgressed
    this.#hasProgressed = false
    return has
  }

  take(text: string, maxCharacters: number): FeedItem[] {
    if (text.length > maxCharacters) {
      return [{ kind: 'oversized', detail: `a message of ${text.length} characters` }]
    }
    const frame = readFrame(text)
    if (frame === null) return [NOT_NIP_01]
    switch (frame[0]) {
      case 'EVENT':
        return [this.#takeEvent(frame)]
      case 'EOSE':
        if (frame[1] === this.#awaited) this.#turnPage()
        return []
      case 'CLOSED':
        if (frame[1] === this.#live.name || frame[1] === this.#awaited) throw declined(frame[2])
        return []
      case 'NOTICE':
        this.#notice = frame[1].slice(0, MAX_SAID)
        return []
      case 'AUTH':
        // This feed has no key to answer with; a relay that insists closes the subscription.
        return []
    }
  }

  #takeEvent([, subscription, event]: Extract<RelayFrame, { 0: 'EVENT' }>): FeedItem {
    if (!this.#live.has(subscription) && !this.#older.has(subscription)) {
      return { kind: 'lie', detail: 'an event for an unknown subscription' }
    }
    if (event['kind'] !== SALE_EVENT_KIND) {
      return { kind: 'lie', detail: 'an event of a kind that was not requested' }
    }
    if (subscription === this.#awaited) this.#hasProgressed = true
    if (this.#awaited === this.#older.name) {
      if (this.#live.has(subscription)) this.#pages.published(event.id)
      else if (subscription === this.#awaited) this.#pages.saw(event.id, event.created_at)
    }
    return { kind: 'event', id: event.id, event }
  }

  #turnPage(): void {
    this.#hasProgressed = true
    const ended = this.#older.name
    const filter = ended === null ? this.#pages.first() : this.#pages.next()
    // Before the next one: some relays allow only few at a time.
    this.#end(ended)
    if (filter) this.#request(this.#older, filter)
    this.#awaited = filter && this.#older.name
  }
}

const declined = (reason = ''): FeedError =>
  new FeedError(
    'declined',
    reason === ''
      ? 'the relay ended the subscription without a reason'
      : `the relay said: ${reason.slice(0, MAX_SAID)}`,
  )

/** Null: not valid NIP-01. */
function readFrame(text: string): RelayFrame | null {
  try {
    const read = RelayFrame.safeParse(JSON.parse(text))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
