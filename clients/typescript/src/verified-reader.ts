import {
  ApiError,
  LateError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from './errors/api-errors.ts'
import { type MarketClientError, NetworkError, TimeoutError } from './errors/client-errors.ts'
import type { CallOptions, Timing } from './requests/options.ts'
import type { AnswerOf, VerifiedPath } from './requests/routes.ts'

/** Pairing spec 7, rule 10: retry on a plain interval, of at least a few seconds. */
const INTERVAL_MS = 5_000

/** A value for which both pipelines signed, and the checkpoint that they signed. */
export interface VerifiedValue<P extends VerifiedPath> {
  value: AnswerOf<P>['data']
  agreement: AnswerOf<P>['agreement']
  /** Of a search or an address: the `cursor` of a reader of the next page; empty: there is none. */
  nextCursor: string
  verifiedAt: Date
  /** Milliseconds since then, when the outcome was made. */
  ageMs: number
}

/**
 * - `verified`: just now.
 * - `held`: there is no newer value, since the pipelines do not agree or the service cannot be asked.
 *   Show the last verified one with its age, and advance nothing that needs fresh state.
 * - `absent`: the service answers 404, which it does even while nothing can be verified: whether the
 *   pipelines agree on it is unknown. `last` was verified before.
 * - `unknown`: nothing was ever verified.
 */
export type VerifiedOutcome<P extends VerifiedPath> =
  | ({ status: 'verified' } & VerifiedValue<P>)
  | ({ status: 'held'; cause: MarketClientError; withheldSince: Date } & VerifiedValue<P>)
  | { status: 'absent'; cause: NotFoundError; last: VerifiedValue<P> | null }
  | { status: 'unknown'; cause: MarketClientError; withheldSince: Date }

/** The body of an answer, and the cursor that its headers name. */
export interface Answered<T> {
  data: T
  nextCursor: string
}

interface Kept<P extends VerifiedPath> {
  answer: Answered<AnswerOf<P>>
  verifiedAt: Date
  at: number
}

interface Withheld {
  cause: MarketClientError
  since: Date
  /** The service is not asked before. */
  until: number
}

/**
 * One verified read, again and again, as the pairing contract wants it (docs/pairing.md): the last
 * verified value is held, with its age, while there is no newer one. The direct routes are never asked.
 */
export class VerifiedReader<P extends VerifiedPath> {
  readonly #read: (options: CallOptions) => Promise<Answered<AnswerOf<P>>>
  readonly #timing: Timing
  #kept: Kept<P> | null = null
  #withheld: Withheld | null = null
  #running: Promise<VerifiedOutcome<P>> | null = null

  constructor(read: (options: CallOptions) => Promise<Answered<AnswerOf<P>>>, timing: Timing) {
    this.#read = read
    this.#timing = timing
  }

  /**
   * Asks the service. For 5 s after an answer was withheld, or for as long as that answer says, tells
   * again what is held. Reads at the same time share one request, whose options are the first one's.
   *
   * @throws BadRequestError: mend the request; ServiceDefectError; the signal's reason
   */
  read(options: CallOptions = {}): Promise<VerifiedOutcome<P>> {
    const { now } = this.#timing
    if (this.#withheld && now() < this.#withheld.until)
      return Promise.resolve(this.#outcomeWithout(this.#withheld))
    this.#running ??= this.#ask(options).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /**
   * Outcomes on a plain interval, until the signal ends it.
   *
   * @param intervalMs 5,000 at the least, which is also the default
   */
  async *watch({
    intervalMs = INTERVAL_MS,
    ...options
  }: CallOptions & { intervalMs?: number } = {}): AsyncGenerator<VerifiedOutcome<P>, void> {
    for (;;) {
      yield await this.read(options)
      await this.#timing.sleep(Math.max(INTERVAL_MS, intervalMs), options.signal)
    }
  }

  async #ask(options: CallOptions): Promise<VerifiedOutcome<P>> {
    try {
      const answer = await this.#read(options)
      this.#withheld = null
      this.#kept = { answer, verifiedAt: this.#timing.date(), at: this.#timing.now() }
      return { status: 'verified', ...this.#valueOf(this.#kept) }
    } catch (error) {
      if (error instanceof NotFoundError) return this.#absent(error)
      if (!isWithholding(error)) throw error
      const since = this.#withheld?.since ?? this.#timing.date()
      this.#withheld = { cause: error, since, until: this.#timing.now() + pauseAfter(error) }
      return this.#outcomeWithout(this.#withheld)
    }
  }

  #outcomeWithout({ cause, since: withheldSince }: Withheld): VerifiedOutcome<P> {
    return this.#kept
      ? { status: 'held', cause, withheldSince, ...this.#valueOf(this.#kept) }
      : { status: 'unknown', cause, withheldSince }
  }

  #absent(cause: NotFoundError): VerifiedOutcome<P> {
    return { status: 'absent', cause, last: this.#kept && this.#valueOf(this.#kept) }
  }

  #valueOf({ answer, verifiedAt, at }: Kept<P>): VerifiedValue<P> {
    const { data: value, agreement } = answer.data
    return {
      value,
      agreement,
      nextCursor: answer.nextCursor,
      verifiedAt,
      ageMs: this.#timing.now() - at,
    }
  }
}

const isWithholding = (error: unknown): error is MarketClientError =>
  error instanceof UnavailableError ||
  error instanceof RateLimitedError ||
  error instanceof LateError ||
  error instanceof NetworkError ||
  error instanceof TimeoutError

function pauseAfter(error: MarketClientError): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0
  return Math.max(INTERVAL_MS, asked * 1_000)
}
