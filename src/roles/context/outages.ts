import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { type OutsidePart, UnavailableError } from '../../ports/base-errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import { abortable } from '../../streams/operators/abortable.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Closer } from './closer.ts'

/** Milliseconds between two questions to a part; one that has failed meanwhile is asked at once. */
const ASK_EVERY_MS = 2_000
/** The least time between two questions, milliseconds. */
const REST_MS = 250
/** Milliseconds after which a part that gives no answer counts as failing. */
const ANSWER_MS = 3_000
/** A part that answers this and fails at other calls has at most one line in this time. */
const LINE_MS = 60_000

export interface OutageParts {
  clock: Clock
  logger: Logger
  closer: Closer
  metrics: Pick<Metrics, 'registry' | 'faults'>
}

/** A part whose own calls say whether it is there: it is not asked. */
export interface HeardPart {
  failed(error: unknown): void
  answered(): void
  /** This process no longer uses it, and cannot say whether it is there. */
  forget(): void
}

/**
 * The parts outside of this process, and the log's lines about them: one when a part goes away, and
 * one when it is back, with the time between and the failures counted in it. A part is away once it
 * fails twice in a row, at a question, or at a call and then at the question that follows it; one
 * that has never answered, at once.
 */
export class Outages {
  readonly #given: OutageParts
  readonly #up: Gauge<'dependency'>
  readonly #known = new Map<string, Outage>()
  readonly #asked = new Set<string>()

  constructor(given: OutageParts) {
    this.#given = given
    this.#up = new Gauge({
      name: 'market_dependency_up',
      help: '1 while the part answers, 0 while it is away.',
      labelNames: ['dependency'],
      registers: [given.metrics.registry],
    })
  }

  /**
   * Asks the part at intervals until the closer ends; `everyMs` while it answers, milliseconds.
   */
  watch(name: OutsidePart, ask: () => Promise<unknown>, everyMs = ASK_EVERY_MS): void {
    const { clock, closer } = this.#given
    const outage = this.#of(name)
    this.#asked.add(name)
    const stop = new AbortController()
    closer.add(() => {
      stop.abort()
      outage.wake()
    })
    void keepAsking(outage, { ask, everyMs }, clock, stop.signal)
  }

  /** A part that is heard of only when it is used. */
  hear(name: string): HeardPart {
    const outage = this.#of(name)
    return {
      failed: (error) => outage.missed(error, { isCertain: true }),
      answered: () => outage.answered(),
      forget: () => outage.forget(),
    }
  }

  /** Is this a failure of a part that has its lines here? It then needs no other. */
  takes(error: unknown): boolean {
    const name = UnavailableError.outsidePartOf(error)
    const outage = name && this.#known.get(name)
    if (!outage) return false
    outage.suspect(error, 'warn')
    return true
  }

  /** A failure that a driver recovers from by itself. */
  noticed(name: OutsidePart, level: 'error' | 'warn', error: unknown): void {
    const outage = this.#of(name)
    if (this.#asked.has(name)) outage.suspect(error, level)
    else outage.missed(error, { isCertain: true })
  }

  #of(name: string): Outage {
    const known = this.#known.get(name)
    if (known) return known
    const { clock, logger, metrics, closer } = this.#given
    const outage = new Outage({
      name,
      clock,
      logger,
      isOver: () => closer.hasBegun,
      onFailure: () => metrics.faults.inc({ part: name }),
      onUp: (isUp) => this.#up.set({ dependency: name }, isUp ? 1 : 0),
      onForgotten: () => this.#up.remove(name),
    })
    this.#known.set(name, outage)
    return outage
  }
}

interface OutageOptions {
  name: string
  clock: Pick<Clock, 'monotonic'>
  logger: Logger
  /** The process stops, and closes its parts itself. */
  isOver: () => boolean
  onFailure: () => void
  onUp: (isUp: boolean) => void
  onForgotten: () => void
}

/** What is known of one part. */
class Outage {
  readonly #options: OutageOptions
  /** Since when it is away, milliseconds, monotonic. */
  #awaySince: number | null = null
  /** Since the last line. */
  #failures = 0
  #lineAt = Number.NEGATIVE_INFINITY
  #hasAnswered = false
  /** It failed since it last answered: where, and how the driver rates that. */
  #suspected: { error: unknown; level: 'error' | 'warn' } | null = null
  #wake: () => void = () => {}

  constructor(options: OutageOptions) {
    this.#options = options
  }

  /** It answers, and failed at nothing since. */
  get isThere(): boolean {
    return this.#hasAnswered && this.#awaySince === null && this.#suspected === null
  }

  /** It failed at a call: whether it is away is asked at once. */
  suspect(error: unknown, level: 'error' | 'warn'): void {
    if (!this.#count() || this.#awaySince !== null) return
    this.#suspected ??= { error, level }
    this.wake()
  }

  /** It did not answer a question. */
  missed(error: unknown, { isCertain = false } = {}): void {
    if (!this.#count() || this.#awaySince !== null) return
    if (this.#suspected === null && this.#hasAnswered && !isCertain) {
      this.#suspected = { error, level: 'warn' }
      return
    }
    const { name, clock, logger, onUp } = this.#options
    this.#awaySince = clock.monotonic()
    onUp(false)
    this.#line()
    logger.error({ part: name, err: error }, 'a part is away')
  }

  answered(): void {
    const { name, clock, logger, isOver, onUp } = this.#options
    if (isOver()) return
    const suspected = this.#suspected
    this.#suspected = null
    this.#hasAnswered = true
    onUp(true)
    if (this.#awaySince !== null) {
      const awayMs = Math.round(clock.monotonic() - this.#awaySince)
      this.#awaySince = null
      const failures = this.#line()
      logger.info({ part: name, awayMs, failures }, 'a part is back')
    } else if (suspected && clock.monotonic() - this.#lineAt >= LINE_MS) {
      const failures = this.#line()
      const { level, error } = suspected
      logger[level]({ part: name, failures, err: error }, 'a part fails, but answers')
    }
  }

  /** Ends an outage without a line: nothing says that it is back. */
  forget(): void {
    this.#awaySince = null
    this.#suspected = null
    this.#hasAnswered = false
    this.#failures = 0
    this.#options.onForgotten()
  }

  /** Ends the wait for the next question. */
  wake(): void {
    this.#wake()
  }

  /** Resolves when it has failed at a call since this was asked. */
  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #count(): boolean {
    if (this.#options.isOver()) return false
    this.#failures += 1
    this.#options.onFailure()
    return true
  }

  /** The failures since the last line. */
  #line(): number {
    const failures = this.#failures
    this.#failures = 0
    this.#lineAt = this.#options.clock.monotonic()
    return failures
  }
}

async function keepAsking(
  outage: Outage,
  { ask, everyMs }: { ask: () => Promise<unknown>; everyMs: number },
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const woken = outage.woken()
    try {
      const answer = await abortable(signal, withTimeout(clock, ANSWER_MS, ask()))
      if (answer === 'late') outage.missed(new Error(`no answer within ${ANSWER_MS} ms`))
      else outage.answered()
    } catch (error) {
      if (signal.aborted) return
      outage.missed(error)
    }
    await clock.sleep(REST_MS, signal)
    await withTimeout(clock, (outage.isThere ? everyMs : ASK_EVERY_MS) - REST_MS, woken)
  }
}
