import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Answer, Market } from '../test/support/market.ts'
import { waitUntil } from '../test/support/programs.ts'
import { at, rowsOf, shortened, textOf } from './readable.ts'
import { printAct, printAnswer, printDeed, printRequest, printStep, type Row } from './terminal.ts'

/** The demo cannot go on: something is not as it should be, in one sentence. */
export class Unexpected extends Error {
  override name = 'Unexpected'
}

/** What an answer must be, and what of it is shown. */
export interface Wanted<T> {
  status: number
  /** The contract of this answer: anything else ends the demo. */
  shape: z.ZodType<T>
  /** By dotted path, the value that must stand there. */
  is?: Readonly<Record<string, unknown>>
  shows: (answer: T) => readonly Row[]
}

/** Acts and steps, each request with its answer; the service is spoken to over HTTP alone. */
export class Stage {
  readonly #market: Pick<Market, 'get' | 'post'>
  #act = 0
  #step = 0
  #requests = 0

  constructor(market: Pick<Market, 'get' | 'post'>) {
    this.#market = market
  }

  /** How many were answered as they should be. */
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

  /** What is done now, in one plain sentence. */
  step(sentence: string): void {
    this.#step += 1
    printStep(`${this.#act}.${this.#step}`, sentence)
  }

  /** What a wallet, the node or the index did. */
  deed(who: string, rows: readonly Row[]): void {
    printDeed(who, rows)
  }

  /** What must hold of the world beside the service. */
  expect(what: string, found: unknown, wanted: unknown): void {
    if (isDeepStrictEqual(found, wanted)) return
    throw new Unexpected(`${what} is ${textOf(found)}, not ${textOf(wanted)}`)
  }

  async get<T>(path: string, wanted: Wanted<T>): Promise<T> {
    printRequest('GET', pathOf(path), [])
    return this.#take(`GET ${pathOf(path)}`, await this.#market.get(path), wanted)
  }

  /** As `get`, but asks again, unseen, while the answer is not yet as it must become. */
  async becomes<T>(path: string, wanted: Wanted<T>): Promise<T> {
    let last: Answer | undefined
    const isThere = async () => {
      last = await this.#market.get(path)
      return faultOf(last, wanted) === null
    }
    // What it stayed is told by the check below.
    await waitUntil('the answer is as it must become', isThere).catch(() => undefined)
    printRequest('GET', pathOf(path), [])
    return this.#take(`GET ${pathOf(path)}`, last ?? (await this.#market.get(path)), wanted)
  }

  async post<T>(path: string, body: object, wanted: Wanted<T>): Promise<T> {
    printRequest('POST', pathOf(path), rowsOf(body))
    return this.#take(`POST ${pathOf(path)}`, await this.#market.post(path, body), wanted)
  }

  #take<T>(request: string, answer: Answer, wanted: Wanted<T>): T {
    const fault = faultOf(answer, wanted)
    if (fault !== null) {
      printAnswer(answer.status, [['', shortened(JSON.stringify(answer.body))]])
      throw new Unexpected(`${request}: ${fault}`)
    }
    this.#requests += 1
    const body = wanted.shape.parse(answer.body)
    printAnswer(answer.status, wanted.shows(body))
    return body
  }
}

const pathOf = (path: string): string => `/api/market/${shortened(path)}`

/** Why an answer is not as it must be; null: it is. */
function faultOf<T>({ status, body }: Answer, wanted: Wanted<T>): string | null {
  if (status !== wanted.status) return `the status is ${status}, not ${wanted.status}`
  const parsed = wanted.shape.safeParse(body)
  if (!parsed.success) return `the answer breaks its contract: ${parsed.error.message}`
  for (const [path, value] of Object.entries(wanted.is ?? {})) {
    const found = at(parsed.data, path)
    if (!isDeepStrictEqual(found, value)) {
      return `${path} is ${textOf(found)}, not ${textOf(value)}`
    }
  }
  return null
}
