import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { StreamSink } from '../../gateway/streaming/stream-reader.ts'
import type { Clock } from '../../runtime/clock.ts'

/** Bytes that are held for a reader that is slower than its events, about. */
const HELD_BYTES = 65_536

export interface PushedLimits {
  /** A reader that takes nothing, or next to nothing, for this long is disconnected, milliseconds. */
  unreadMs: number
  /** After this time the stream ends, and its client resumes it, milliseconds. */
  longestMs: number
}

export interface PushedOptions {
  clock: Pick<Clock, 'monotonic'>
  limits: PushedLimits
  begin(sink: StreamSink): Promise<void>
  /** False: its client may read no more, and is disconnected. */
  mayRead(): boolean
  /** Counts bytes that the reader has not read; returns the function that ends that. */
  holdUnread(bytes: number): () => void
  /** The connection ends, since what should be sent could not be made. */
  onFailure(error: unknown): void
}

/**
 * An answer that is written to as things happen. The framework sends `body`, which has nothing of
 * its own and ends with the answer; `begin` is called when the answer is open.
 */
export class PushedAnswer implements StreamSink {
  readonly body: Readable
  readonly #raw: ServerResponse
  readonly #limits: PushedLimits
  readonly #openedAt: number
  /** Sendings that the kernel has not taken. */
  #onTheWay = 0
  #wake: (() => void) | null = null
  #isFree = true
  /** When the reader had last taken all, or its share. */
  #tookAt: number
  /** How many bytes it had taken when it was first seen that something is left; null: nothing is. */
  #tookBytes: number | null = null
  readonly #options: Pick<PushedOptions, 'mayRead' | 'holdUnread' | 'onFailure'>
  #release = () => {}
  #late: NodeJS.Timeout | undefined

  constructor(raw: ServerResponse, { clock, limits, begin, ...options }: PushedOptions) {
    let isOpen = false
    this.#raw = raw
    // The connection ends with the answer, so that pieces need no frames of their own (RFC 9112, 6.3).
    raw.setHeader('connection', 'close')
    raw.removeHeader('transfer-encoding')
    // `attend` looks after a reader that takes nothing: a timer would be set again by each event.
    raw.setTimeout(0)
    this.#limits = limits
    this.#openedAt = clock.monotonic()
    this.#tookAt = this.#openedAt
    this.#options = options
    raw.once('close', () => {
      clearTimeout(this.#late)
      this.#release()
    })
    this.body = new Readable({
      read: () => {
        if (isOpen) return
        isOpen = true
        void begin(this)
      },
    })
  }

  get isFree(): boolean {
    return this.#isFree
  }

  /** Is nothing on its way to the reader? */
  get isIdle(): boolean {
    return this.#raw.writableLength === 0
  }

  send(events: readonly Uint8Array[]): boolean {
    const raw = this.#raw
    const last = events.at(-1)
    if (raw.destroyed || raw.writableEnded || !last) return this.#isFree
    this.#onTheWay += 1
    // One call of the kernel for all. The answer's own cork would not do: its end sends piece by piece.
    const { socket } = raw
    socket?.cork()
    for (const event of events.slice(0, -1)) raw.write(event)
    raw.write(last, this.#taken)
    socket?.uncork()
    if (this.#isFree && raw.writableLength >= HELD_BYTES) {
      this.#isFree = false
      this.#release = this.#options.holdUnread(raw.writableLength)
    }
    return this.#isFree
  }

  readonly #taken = (): void => {
    this.#onTheWay -= 1
    if (this.#onTheWay > 0) return
    this.#isFree = true
    this.#release()
    this.#wake?.()
  }

  async taken(): Promise<void> {
    const raw = this.#raw
    if (this.#isFree || raw.destroyed) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      raw.once('close', resolve)
    })
    if (this.#wake) raw.off('close', this.#wake)
    this.#wake = null
  }

  attend(now: number): void {
    if (!this.#options.mayRead()) {
      // Not `end`, which leaves a reader time for the rest: until then it would keep its place.
      this.#raw.destroy()
      return
    }
    if (now - this.#openedAt >= this.#limits.longestMs) this.end()
    if (this.isIdle) {
      this.#tookAt = now
      this.#tookBytes = null
      return
    }
    const raw = this.#raw
    const bytes = (raw.socket?.bytesWritten ?? 0) - raw.writableLength
    this.#tookBytes ??= bytes
    if (bytes - this.#tookBytes >= HELD_BYTES) {
      this.#tookAt = now
      this.#tookBytes = bytes
    } else if (now - this.#tookAt >= this.#limits.unreadMs) raw.destroy()
  }

  /**
   * The reader may take the rest of what was sent before, for a while; its connection is not
   * checked any more.
   */
  end(): void {
    if (this.#late || this.#raw.destroyed || this.body.destroyed) return
    this.body.push(null)
    this.#late = setTimeout(() => this.#raw.destroy(), this.#limits.unreadMs).unref()
  }

  fail(error: unknown): void {
    this.#options.onFailure(error)
    this.#raw.destroy()
  }
}
