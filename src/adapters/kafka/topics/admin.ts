import type { Admin, Kafka } from 'kafkajs'

const ATTEMPTS = 5
const PAUSE_MS = 200

/**
 * Queries to the cluster. kafkajs caches leaders for minutes and gives up when one has moved or is
 * not elected yet: a failed query is retried on a new connection.
 */
export class ClusterAdmin {
  readonly #kafka: Kafka
  readonly #sleep: (ms: number) => Promise<void>
  #admin: Promise<Admin> | null = null
  #isClosed = false

  constructor(kafka: Kafka, sleep: (ms: number) => Promise<void>) {
    this.#kafka = kafka
    this.#sleep = sleep
  }

  /** The answer; after a few attempts within seconds, throws the last error. */
  async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      this.#admin ??= this.#connect()
      const admin = this.#admin
      try {
        return await question(await admin)
      } catch (error) {
        if (this.#admin === admin) this.#admin = null
        void admin.then((old) => old.disconnect()).catch(() => undefined)
        // What is asked while it is closed must not connect again: the process would not end.
        if (attempt === ATTEMPTS || this.#isClosed) throw error
        await this.#sleep(PAUSE_MS * attempt)
        if (this.#isClosed) throw error
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const admin = await this.#admin?.catch(() => null)
    await admin?.disconnect()
  }

  async #connect(): Promise<Admin> {
    const admin = this.#kafka.admin({
      retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 3 },
    })
    await admin.connect()
    return admin
  }
}
