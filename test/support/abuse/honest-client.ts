import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import { emptyReport, type HonestAct, type HonestReport } from './honest-market.ts'

const CONNECTIONS = 32
const MAX_TRIES = 8
const LONGEST_PAUSE_S = 10
const LATE_PAUSE_S = 1
const MAX_REPORTED = 20

export interface Said<T> {
  status: number
  body: T
}

/** Sends requests as an honest client does, at its own pace, and times each answer. */
export class HonestClient {
  readonly #address: string
  readonly #agent = new Agent({ connections: CONNECTIONS })
  #report: HonestReport = emptyReport()

  constructor(address: string) {
    this.#address = address
  }

  /** What was seen since the last call. */
  report(): HonestReport {
    const report = this.#report
    this.#report = emptyReport()
    return report
  }

  wrong(what: string): void {
    if (this.#report.wrong.length < MAX_REPORTED) this.#report.wrong.push(what)
  }

  get<T>(act: HonestAct, path: string, from: string): Promise<T | null> {
    return this.#ask(act, from, path, 200)
  }

  post<T>(act: HonestAct, path: string, body: object, from: string): Promise<T | null> {
    return this.#ask(act, from, path, 201, body)
  }

  /** The body of the answer; null where the answer was wrong, which the report includes. */
  async #ask<T>(
    act: HonestAct,
    from: string,
    path: string,
    wanted: number,
    body?: object,
  ): Promise<T | null> {
    try {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const begun = performance.now()
        const answer = await this.#agent.request({
          origin: this.#address,
          path: `/api/market/${path}`,
          method: body ? 'POST' : 'GET',
          headers: {
            'x-forwarded-for': from,
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
        })
        const text = await answer.body.text()
        if (answer.statusCode === wanted) {
          const { answersMs } = this.#report
          answersMs[act] = [...(answersMs[act] ?? []), performance.now() - begun]
          return JSON.parse(text) as T
        }
        const isLate = answer.statusCode === 504
        const pause = isLate ? LATE_PAUSE_S : Number(answer.headers['retry-after'])
        if (!isLate && (answer.statusCode !== 503 || !(pause > 0))) {
          this.wrong(`${act}: ${answer.statusCode} ${text.slice(0, 200)}`)
          return null
        }
        const counts = isLate ? this.#report.late : this.#report.putOff
        counts[act] = (counts[act] ?? 0) + 1
        await delay(Math.min(pause, LONGEST_PAUSE_S) * 1_000)
      }
      this.wrong(`${act}: put off ${MAX_TRIES} times`)
    } catch (error) {
      this.wrong(`${act}: ${error instanceof Error ? error.message : error}`)
    }
    return null
  }
}
