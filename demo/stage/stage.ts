import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Answer } from '../../test/support/market/api-client.ts'
import type { Market } from '../../test/support/market/market.ts'
import { at, rowsOf, shortened, textOf } from './readable.ts'
import { printAct, printAnswer, printDeed, printRequest, printStep, type Row } from './terminal.ts'

/** The demo cannot continue: something is not as expected, in one sentence. */
export class UnexpectedError extends Error {
  override name = 'UnexpectedError'
}

/** The expected answer, and the part of it that is shown. */
export interface Wanted<T> {
  status: number
  /** The contract of this answer: anything else ends the demo. */
  shape: z.ZodType<T>
  /** Expected values by dotted path. */
  is?: Readonly<Record<string, unknown>>
  shows: (answer: T) => readonly Row[]
  /** Shown instead where the same was shown before. */
  gist?: (answer: T) => readonly Row[]
}

/** An answer becomes as expected within this time. */
const PATIENCE_MS = 30_000
const POLL_MS = 50
const LATE = Symbol('late')
/** A stream has one status for all its events. */
const PUSHED = 200

/** Acts and steps, each request with its answer; the service is used only over HTTP. */
export class Stage {
  readonly #market: Pick<Market, 'get' | 'post'>
  readonly #patienceMs: number
  #act = 0
  #step = 0
  #requests = 0
  #isRetold = false

  constructor(market: Pick<Market, 'get' | 'post'>, { patienceMs = PATIENCE_MS } = {}) {
    this.#market = market
    this.#patienceMs = patienceMs
  }

  /** How many were answered as expected. */
  get requests(): number {
    return this.#requests
  }

  get acts(): number {
    return this.#act
  }

  act(title: string, intro: string): void {
    this.#act += 1
    this.#step = 0
    printAct(`${this.#act}. ${title}`, intro)
  }

  /** What happens now, in one plain sentence. */
  step(sentence: string): void {
    if (this.#isRetold) return
    this.#step += 1
    printStep(`${this.#act}.${this.#step}`, sentence)
  }

  /** What was played before step by step, as one step: the answers are summarised. */
  async again<T>(sentence: string, play: () => Promise<T>): Promise<T> {
    this.step(sentence)
    this.#isRetold = true
    try {
      return await play()
    } finally {
      this.#isRetold = false
    }
  }

  /** What a wallet, the node or the index did. */
  deed(who: string, rows: readonly Row[]): void {
    printDeed(who, rows)
  }

  /** What must hold of node and index. */
  expect(what: string, found: unknown, wanted: unknown): void {
    if (isDeepStrictEqual(found, wanted)) return
    throw new UnexpectedError(`${what} is ${textOf(found)}, not ${textOf(wanted)}`)
  }

  async get<T>(path: string, wanted: Wanted<T>): Promise<T> {
    printRequest('GET', pathOf(path), [])
    return this.#take(`GET ${pathOf(path)}`, await this.#market.get(path), wanted)
  }

  /** As `get`, but repeats the request, without showing it, until the answer is as expected. */
  async becomes<T>(path: string, wanted: Wanted<T>): Promise<T> {
    const until = performance.now() + this.#patienceMs
    let answer = await this.#market.get(path)
    while ('fault' in judge(answer, wanted) && performance.now() < until) {
      await delay(POLL_MS)
      answer = await this.#market.get(path)
    }
    printRequest('GET', pathOf(path), [])
    return this.#take(`GET ${pathOf(path)}`, answer, wanted)
  }

  /** A request whose answer arrives in pieces, each returned by `pushed`. */
  asks(path: string): void {
    printRequest('GET', pathOf(path), [])
  }

  /** What the service sends by itself, when it arrives. */
  async pushed<T>(
    name: string,
    coming: Promise<unknown>,
    wanted: Omit<Wanted<T>, 'status'>,
  ): Promise<T> {
    const settled = new AbortController()
    const never = delay(this.#patienceMs, LATE, { signal: settled.signal })
    // The loser of the race is not awaited.
    never.catch(() => undefined)
    coming.catch(() => undefined)
    const body = await Promise.race([coming, never]).finally(() => settled.abort())
    if (body === LATE) throw new UnexpectedError(`no ${name} was pushed`)
    const judged = judge({ status: PUSHED, body }, { ...wanted, status: PUSHED })
    if ('fault' in judged) throw new UnexpectedError(`the ${name} that was pushed: ${judged.fault}`)
    printDeed('push', [['event', name], ...wanted.shows(judged.body)])
    return judged.body
  }

  async post<T>(path: string, body: object, wanted: Wanted<T>): Promise<T> {
    printRequest('POST', pathOf(path), rowsOf(body))
    return this.#take(`POST ${pathOf(path)}`, await this.#market.post(path, body), wanted)
  }

  #take<T>(request: string, answer: Answer, wanted: Wanted<T>): T {
    const judged = judge(answer, wanted)
    if ('fault' in judged) {
      printAnswer(answer.status, rowsOf(answer.body ?? {}))
      throw new UnexpectedError(`${request}: ${judged.fault}`)
    }
    this.#requests += 1
    const { shows, gist = shows } = wanted
    printAnswer(answer.status, (this.#isRetold ? gist : shows)(judged.body))
    return judged.body
  }
}

/** Of the gateway, unless it begins with a slash. */
const pathOf = (path: string): string =>
  path.startsWith('/') ? shortened(path) : `/api/market/${shortened(path)}`

/** The parsed answer, or why it is not as expected. */
function judge<T>(
  { status, body }: { status: number; body: unknown },
  wanted: Wanted<T>,
): { body: T } | { fault: string } {
  if (status !== wanted.status) return { fault: `the status is ${status}, not ${wanted.status}` }
  const parsed = wanted.shape.safeParse(body)
  if (!parsed.success) return { fault: `the answer breaks its contract: ${problems(parsed.error)}` }
  for (const [path, value] of Object.entries(wanted.is ?? {})) {
    const found = at(parsed.data, path)
    if (!isDeepStrictEqual(found, value)) {
      return { fault: `${path} is ${textOf(found)}, not ${textOf(value)}` }
    }
  }
  return { body: parsed.data }
}

const problems = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
