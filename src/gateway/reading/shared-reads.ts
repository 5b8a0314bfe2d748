import type { LRUCache } from 'lru-cache'
import { SingleFlight } from '../../runtime/single-flight.ts'

/** Reads when the turn of this source comes. */
export type QueuedRead = <T>(work: () => Promise<T>, source: string) => Promise<T>

/**
 * Answers that are cached for a while, and read once. Equal requests of a source wait as one; another
 * source has a turn of its own, so that it never waits in the turns of another. A read that has begun is
 * shared by all, its failure included.
 */
export class SharedReads<Answer extends object> {
  readonly #cached: LRUCache<string, Answer>
  readonly #queued: QueuedRead
  readonly #waiting = new SingleFlight<Answer>()
  readonly #reading = new SingleFlight<Answer>()

  constructor(cached: LRUCache<string, Answer>, queued: QueuedRead) {
    this.#cached = cached
    this.#queued = queued
  }

  /** Is the answer there, being read, or awaited by this source already? */
  has(name: string, source: string): boolean {
    return (
      this.#cached.has(name) || this.#reading.has(name) || this.#waiting.has(`${source}\n${name}`)
    )
  }

  /** @throws BusyError, or what `read` throws; a failure is not cached. */
  async read(name: string, source: string, read: () => Promise<Answer>): Promise<Answer> {
    const once = async () =>
      this.#cached.get(name) ?? (await this.#reading.run(name, () => this.#keep(name, read)))
    const answer = this.#cached.get(name)
    if (answer) return answer
    return this.#reading.has(name)
      ? await once()
      : await this.#waiting.run(`${source}\n${name}`, () => this.#queued(once, source))
  }

  async #keep(name: string, read: () => Promise<Answer>): Promise<Answer> {
    const answer = await read()
    this.#cached.set(name, answer)
    return answer
  }
}
