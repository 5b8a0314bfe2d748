import type { StoredOrderAnswer } from '../../../ports/views/order-views.ts'
import { askDocuments, readAnswer } from './document.ts'
import type { Keyspace } from './keyspace.ts'
import type { FreshnessOfAll, RecentFreshness } from './recent-freshness.ts'

interface Waiter {
  resolve(answer: StoredOrderAnswer | null): void
  reject(error: unknown): void
}

/**
 * Answers by id. The answers requested in one turn of the event loop are read by one pipeline, each
 * id once.
 */
export class AnswerReads {
  readonly #keyspace: Keyspace
  readonly #recent: RecentFreshness
  #waiting = new Map<string, Waiter[]>()

  constructor(keyspace: Keyspace, recent: RecentFreshness) {
    this.#keyspace = keyspace
    this.#recent = recent
  }

  read(id: string): Promise<StoredOrderAnswer | null> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiting.get(id)
      if (waiters) {
        waiters.push({ resolve, reject })
        return
      }
      // Runs once the requests of all sockets that can be read now are taken.
      if (this.#waiting.size === 0) setImmediate(() => void this.#flush())
      this.#waiting.set(id, [{ resolve, reject }])
    })
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    try {
      const { freshness, texts } = await this.#ask([...waiting.keys()])
      for (const [at, waiters] of [...waiting.values()].entries()) {
        const found = readAnswer(texts[at] ?? null)
        const answer = found && {
          ...found,
          freshness: freshness.get(found.partition) ?? null,
        }
        for (const { resolve } of waiters) resolve(answer)
      }
    } catch (error) {
      for (const { reject } of [...waiting.values()].flat()) reject(error)
    }
  }

  async #ask(ids: readonly string[]) {
    const now = this.#recent.now()
    let known: FreshnessOfAll | null = null
    let asked = ''
    const replies = await this.#keyspace.read((pipeline, prefix) => {
      asked = prefix
      known = this.#recent.of(prefix)
      // Freshness is read first: an order is never shown fresher than it is.
      if (!known) pipeline.hgetall(`${prefix}freshness`)
      askDocuments(pipeline, prefix, ids)
    })
    const freshness = known ?? this.#recent.keep(asked, now, replies.shift())
    return { freshness, texts: (replies as (Buffer | null)[][]).flat() }
  }
}
