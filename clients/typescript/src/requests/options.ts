import { startTimer } from './timers.ts'

/** How often and how long one call is tried; Infinity: without that bound. */
export interface RetryBounds {
  /** Requests sent at the most; 4. 1: nothing is repeated. */
  attempts: number
  /** For one request and its answer, milliseconds; 20,000. */
  attemptMs: number
  /** For all requests of the call, and the waits between them, milliseconds; 60,000. */
  totalMs: number
}

/** Of one call; what is left out is as the client was made. */
export interface CallOptions extends Partial<RetryBounds> {
  /** Ends the call, also between two attempts: it rejects with the signal's reason. */
  signal?: AbortSignal
}

/** Time and chance, which tests replace. */
export interface Timing {
  /** Milliseconds; only differences are used. */
  now(): number
  date(): Date
  /** From 0 up to 1. */
  random(): number
  /** Rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface MarketClientOptions extends Partial<RetryBounds> {
  /** Where the service answers, such as `https://market.example`. */
  baseUrl: string
  /** Of an operator, or the key of a customer; sent as `Authorization: Bearer`. */
  token?: string
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>
  /** Instead of the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** A longer answer is not read; 64 MiB. */
  maxAnswerBytes?: number
  timing?: Timing
}

/** The options with everything that was left out. */
export interface Settings extends RetryBounds {
  baseUrl: string
  headers: Readonly<Record<string, string>>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  maxAnswerBytes: number
  timing: Timing
}

const MAX_ANSWER_BYTES = 64 * 1_024 * 1_024

/** @throws TypeError `baseUrl` is not an absolute address of http or https. */
export function settingsOf(options: MarketClientOptions): Settings {
  const { protocol } = new URL(options.baseUrl)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`baseUrl: must be of http or https, not ${protocol}`)
  const { token } = options
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    headers: { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) },
    // Browsers call it as a function of the global object alone.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    attempts: options.attempts ?? 4,
    attemptMs: options.attemptMs ?? 20_000,
    totalMs: options.totalMs ?? 60_000,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    timing: options.timing ?? REAL_TIMING,
  }
}

const REAL_TIMING: Timing = {
  now: () => performance.now(),
  date: () => new Date(),
  random: () => Math.random(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = startTimer(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', abort, { once: true })
    })
  },
}
