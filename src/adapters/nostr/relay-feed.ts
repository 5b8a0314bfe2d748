import { openBudget, type Rate } from '../../ports/budget.ts'
import type { Clock } from '../../ports/clock.ts'
import { type FeedBatch, FeedFault, type FeedItem, type OrderFeed } from '../../ports/order-feed.ts'
import { SALE_EVENT_KIND } from '../../schemas/nostr.ts'
import { RelayFrame } from '../../schemas/relay.ts'
import { Pages } from './pages.ts'
import { openRelaySocket, type RelaySocket, type SocketLimits } from './relay-socket.ts'
import type { RelayMessage } from './waiting-frames.ts'

export interface RelayLimits extends SocketLimits {
  /** Messages that are looked into. */
  rate: Rate
  /** A longer message is not looked into. */
  maxFrameCharacters: number
  /** A request for stored events that brings nothing for so long is not answered. */
  answerMs: number
  /** What is new is asked for again: some relays lose what comes while they answer. */
  refreshMs: number
}

export const RELAY_LIMITS: RelayLimits = {
  maxFrameBytes: 2 ** 20,
  // More than an event whose content is the largest order.
  maxFrameCharacters: 2 ** 18,
  pauseAt: { messages: 256, characters: 2 ** 20 },
  maxWaiting: { messages: 4_096, characters: 2 ** 22 },
  rate: { perSecond: 100, burst: 1_000 },
  connectMs: 10_000,
  pingMs: 30_000,
  answerMs: 60_000,
  refreshMs: 600_000,
}

/** Seconds. Relays pass events on late, and clocks of publishers are wrong: so much is read again. */
export const OVERLAP_SECONDS = 86_400

/** Subscriptions: what is new, and the stored events behind it, page by page. */
const LIVE = 'live'
const OLDER = 'older'
/** Of what a relay says, so much is told to the operator. */
const MAX_SAID = 200

const NOT_NIP_01: FeedItem = { kind: 'lie', detail: 'a message that NIP-01 does not have' }

export interface RelayFeedOptions {
  /** ws or wss. */
  url: string
  clock: Clock
  limits?: RelayLimits
}

/** The kind 802 events of one relay (NIP-01). It is only read: nothing but REQ and CLOSE is sent. */
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
  const budget = openBudget(limits.rate, clock)
  const connectedAt = Math.floor(clock.now() / 1_000)
  const socket = await openRelaySocket(url, limits, clock, signal)
  try {
    // A clock that was ahead when the cursor was kept must not hide what comes now.
    const from = Math.min(cursor ?? 0, connectedAt) - OVERLAP_SECONDS
    const reading = new Reading(socket, Math.max(0, from))
    let askedAt = clock.monotonic()
    for (;;) {
      const message = await socket.next(limits.answerMs)
      if (message === null) return
      const { isBehind } = socket
      const { isCaughtUp } = reading
      // What is awaited may stand behind much that nobody here was quick enough to read.
      if (!isCaughtUp && isBehind) askedAt = clock.monotonic()
      if (!isCaughtUp && clock.monotonic() - askedAt > limits.answerMs) {
        throw new FeedFault('silent', `no stored events ${reading.lastSaid}`)
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

/** Messages without an item are told of too: whoever sends nothing else is found out. */
function itemsOf(
  message: RelayMessage,
  reading: Reading,
  { maxFrameCharacters }: RelayLimits,
): FeedItem[] {
  if (message.kind === 'binary') return [NOT_NIP_01]
  return message.kind === 'text' ? reading.take(message.text, maxFrameCharacters) : []
}

/** One conversation with a relay: what was asked, and what its words mean for that. */
class Reading {
  readonly #socket: RelaySocket
  readonly #pages: Pages
  /** The subscription whose stored events are awaited; null: all were told. */
  #awaited: string | null = LIVE
  #hasProgressed = false
  #notice: string | null = null

  constructor(socket: RelaySocket, since: number) {
    this.#socket = socket
    this.#pages = new Pages(since)
    this.refresh()
  }

  /** Asks for the newest stored events and for all that come: a subscription replaces its namesake. */
  refresh(): void {
    this.#socket.send(['REQ', LIVE, this.#pages.first()])
  }

  get isCaughtUp(): boolean {
    return this.#awaited === null
  }

  /** What a relay that does not answer may have said instead. */
  get lastSaid(): string {
    return this.#notice === null ? 'came' : `came, but a notice: ${this.#notice}`
  }

  /** Did the stored events come nearer to their end since this was last asked? */
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
        if (frame[1] === LIVE || frame[1] === this.#awaited) {
          throw new FeedFault('declined', `the relay says: ${frame[2].slice(0, MAX_SAID)}`)
        }
        return []
      case 'NOTICE':
        this.#notice = frame[1].slice(0, MAX_SAID)
        return []
      case 'AUTH':
        // Nobody here has a key to answer with; a relay that insists closes the subscription.
        return []
    }
  }

  #takeEvent([, subscription, event]: Extract<RelayFrame, { 0: 'EVENT' }>): FeedItem {
    if (subscription !== LIVE && subscription !== OLDER) {
      return { kind: 'lie', detail: 'an event for a subscription that is not' }
    }
    if (event['kind'] !== SALE_EVENT_KIND) {
      return { kind: 'lie', detail: 'an event of a kind that was not asked for' }
    }
    if (subscription === this.#awaited) {
      this.#pages.saw(event.created_at)
      this.#hasProgressed = true
    }
    return { kind: 'event', id: event.id, event }
  }

  #turnPage(): void {
    this.#hasProgressed = true
    const filter = this.#pages.next()
    if (filter) this.#socket.send(['REQ', OLDER, filter])
    else if (this.#awaited === OLDER) this.#socket.send(['CLOSE', OLDER])
    this.#awaited = filter ? OLDER : null
  }
}

/** Null: not of NIP-01. */
function readFrame(text: string): RelayFrame | null {
  try {
    const read = RelayFrame.safeParse(JSON.parse(text))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
