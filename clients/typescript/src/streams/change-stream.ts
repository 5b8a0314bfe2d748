import type { EventSourceMessage } from 'eventsource-parser'
import { ApiError, BadRequestError, UnavailableError } from '../errors/api-errors.ts'
import { NetworkError, UnexpectedAnswerError } from '../errors/client-errors.ts'
import type { StreamChange, StreamEnd, StreamSnapshot } from '../generated/api.ts'
import { type OpenAnswer, openAnswer } from '../requests/attempt.ts'
import type { Settings } from '../requests/options.ts'
import { mayPass } from '../requests/send.ts'
import { waitAfter } from '../requests/waits.ts'
import { readEvents } from './read-events.ts'

const PATH = '/api/market/activity/stream'
/** The service is heard at least every 10 s. */
const SILENT_MS = 30_000

export interface StreamOptions {
  /** Ends the stream: it rejects with the signal's reason. */
  signal?: AbortSignal
  /** A place of an earlier stream with the same query: go on after it, without a snapshot. */
  lastEventId?: string
  /** The last failure is thrown after this many connections without an event; by default never. */
  attempts?: number
  /** A connection that says nothing for so long is replaced, milliseconds; 30,000. */
  silentMs?: number
  /** Called whenever the service says something: in a quiet market that is a heartbeat every 10 s, which is no item. */
  onHeard?: () => void
  /** Called whenever a connection breaks or cannot be made: nothing is heard until `onHeard`. */
  onLost?: () => void
}

/**
 * Why a snapshot is there: `begun`, the stream is new; else changes since the last event were missed,
 * and the snapshot replaces what was known; of a book with more orders, what was listed too.
 * `cursor_refused`: the service does not know the place.
 */
export type SnapshotReason = 'begun' | StreamEnd['reason'] | 'cursor_refused'

/** `id` is a place: a stream that is given it as `lastEventId` goes on after this item. */
export type StreamItem =
  | { type: 'snapshot'; id: string; reason: SnapshotReason; data: StreamSnapshot }
  | { type: 'change'; id: string; data: StreamChange }

/**
 * The changes of the market, over connections that follow one another: each goes on after the last
 * event of the one before, at whichever gateway. Iterate it once.
 */
export class ChangeStream implements AsyncIterable<StreamItem> {
  readonly #settings: Settings
  readonly #query: object
  readonly #options: StreamOptions
  #place: string | null
  /** Of the next snapshot. */
  #reason: SnapshotReason = 'begun'
  #failures = 0
  #retryMs: number | undefined

  constructor(settings: Settings, query: object, options: StreamOptions) {
    this.#settings = settings
    this.#query = query
    this.#options = options
    this.#place = options.lastEventId ?? null
  }

  /** The place after the newest item, or the newest heartbeat if that came later; null: none yet. */
  get lastEventId(): string | null {
    return this.#place
  }

  /** @throws ApiError that no repetition mends, UnexpectedAnswerError; the signal's reason */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamItem, void> {
    const { signal, onLost } = this.#options
    for (;;) {
      try {
        yield* this.#connection()
        // The service ends streams by and by; that is no failure, but a new one may wait a moment.
        this.#failures += 1
      } catch (error) {
        signal?.throwIfAborted()
        this.#failures += 1
        onLost?.()
        if (!this.#startsAnew(error)) this.#throwIfFinal(error)
        await this.#pause(error instanceof ApiError ? error.retryAfter : null)
        continue
      }
      await this.#pause(null)
    }
  }

  async *#connection(): AsyncGenerator<StreamItem, void> {
    const { signal, silentMs = SILENT_MS, onHeard } = this.#options
    const answer = await this.#open()
    let isHeard = false
    try {
      const onRetry = (ms: number) => {
        this.#retryMs = ms
      }
      for await (const event of readEvents(answer, { silentMs, onRetry })) {
        signal?.throwIfAborted()
        isHeard = true
        onHeard?.()
        const item = this.#itemOf(event)
        if (item === 'end') return
        if (item) yield item
      }
    } finally {
      answer.close()
    }
    if (!isHeard) throw new NetworkError('the stream: it ended before it told anything')
  }

  #open(): Promise<OpenAnswer> {
    const { baseUrl, headers, attemptMs } = this.#settings
    const request = {
      method: 'GET',
      url: `${baseUrl}${PATH}${queryText(this.#query)}`,
      headers: new Headers({
        ...headers,
        accept: 'text/event-stream',
        ...(this.#place !== null && { 'last-event-id': this.#place }),
      }),
      body: null,
    }
    const limits = { limitMs: attemptMs, signal: this.#options.signal }
    return openAnswer(request, this.#settings, limits)
  }

  /** Null: nothing to tell. Events of kinds that this version does not know are places too. */
  #itemOf({ event, id = '', data }: EventSourceMessage): StreamItem | 'end' | null {
    if (event === 'resync-required') {
      this.#reason = dataOf<StreamEnd>(data).reason
      this.#place = null
      return 'end'
    }
    if (id !== '') this.#place = id
    this.#failures = 0
    if (event === 'change') return { type: event, id, data: dataOf<StreamChange>(data) }
    if (event !== 'snapshot') return null
    const reason = this.#reason
    this.#reason = 'begun'
    return { type: event, id, reason, data: dataOf<StreamSnapshot>(data) }
  }

  /** A place that the service refuses leads nowhere: a snapshot then brings what was missed. */
  #startsAnew(error: unknown): boolean {
    const isRefused = error instanceof BadRequestError && error.code === 'INVALID_CURSOR'
    if (!isRefused || this.#place === null) return false
    this.#place = null
    this.#reason = 'cursor_refused'
    return true
  }

  #throwIfFinal(error: unknown): void {
    const { attempts = Number.POSITIVE_INFINITY } = this.#options
    // A stream outlives a service that starts or is switched off, which a call does not wait for.
    const passes = mayPass(error) || error instanceof UnavailableError
    if (!passes || this.#failures >= attempts) throw error
  }

  async #pause(retryAfter: number | null): Promise<void> {
    const { timing } = this.#settings
    const waitMs = waitAfter(this.#failures, { retryAfter, timing }, this.#retryMs)
    await timing.sleep(waitMs, this.#options.signal)
  }
}

function dataOf<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new UnexpectedAnswerError('an event that is not JSON', { cause: error })
  }
}

function queryText(query: object): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, String(value))
  const text = given.toString()
  return text === '' ? '' : `?${text}`
}
