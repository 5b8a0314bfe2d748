import type { Clock } from '../../../ports/runtime/clock.ts'
import type { PartitionFreshness, StoredOrderAnswer } from '../../../ports/views/order-views.ts'
import { askDocuments, readAnswer } from './document.ts'
import type { Keyspace } from './keyspace.ts'

/**
 * Freshness that was read before a document never shows it fresher than it is, however long before:
 * it may be this old, milliseconds.
 */
const FRESHNESS_KEPT_MS = 250

interface Waiter {
  resolve(answer: StoredOrderAnswer | null): void
  reject(error: unknown): void
}

interface Recent {
  /** Of the prefix of the views. */
  prefix: string
  readAtMs: number
  freshness: ReadonlyMap<number, PartitionFreshness>
}

/**
 * Answers by id. All that are asked for in one turn of the event loop are read by one pipeline, each
 * id once.
 */
export class AnswerReads {
  readonly #keyspace: Keyspace
  readonly #clock: Pick<Clock, 'monotonic'>
  #waiting = new Map<string, Waiter[]>()
  #recent: Recent | null = null

  constructor(keyspace: Keyspace, clock: Pick<Clock, 'monotonic'>) {
    this.#keyspace = keyspace
    this.#clock = clock
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

  /** Makes the next read look up the freshness: it was written here. */
  forgetFreshness(): void {
    this.#recent = null
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
    const now = this.#clock.monotonic()
    let recent: Recent | null = null
    let asked = ''
    const replies = await this.#keyspace.read((pipeline, prefix) => {
      asked = prefix
      recent = this.#recentOf(prefix, now)
      // First: an order is never shown fresher than it is.
      if (!recent) pipeline.hgetall(`${prefix}freshness`)
      askDocuments(pipeline, prefix, ids)
    })
    const { freshness } = recent ?? this.#keep(asked, now, replies.shift())
    return { freshness, texts: (replies as (string | null)[][]).flat() }
  }

  #recentOf(prefix: string, now: number): Recent | null {
    const recent = this.#recent
    const isRecent = recent?.prefix === prefix && now - recent.readAtMs < FRESHNESS_KEPT_MS
    return isRecent ? recent : null
  }

  #keep(prefix: string, readAtMs: number, fields: unknown): Recent {
    const freshness = readFreshness(fields as Record<string, string>)
    this.#recent = { prefix, readAtMs, freshness }
    return this.#recent
  }
}

/** Of the hash that holds every partition's. */
export const readFreshness = (
  fields: Record<string, string>,
): ReadonlyMap<number, PartitionFreshness> =>
  new Map(
    Object.entries(fields).map(([partition, text]) => [
      Number(partition),
      JSON.parse(text) as PartitionFreshness,
    ]),
  )
