import type { Redis } from 'ioredis'
import { redisRefusalOf } from './errors.ts'
import { isSilent } from './primary-watch.ts'

/**
 * The connection that hears what is published: connected again until it is closed, and subscribed again
 * each time.
 */
export class RedisListener {
  readonly #redis: Redis

  constructor(redis: Redis) {
    this.#redis = redis
    // Every command reports the failure by its own rejection.
    redis.on('error', () => {})
  }

  async listen(
    channel: string,
    onMessage: (message: string) => void,
    heardAgain: () => void,
  ): Promise<void> {
    const redis = this.#redis
    redis.on('message', (from, message) => {
      if (from === channel) onMessage(message)
    })
    redis.on('ready', () => {
      // Lost again before the answer: the next `ready` event retries.
      redis.subscribe(channel).then(heardAgain, () => {})
    })
    const connected = redis.connect().then(() => redis.subscribe(channel))
    try {
      await connected
    } catch (error) {
      const refused = redisRefusalOf(error)
      if (refused) throw refused
    }
  }

  /** Connects again, and reports that messages may have been missed. */
  again(): void {
    if (this.#redis.status === 'ready') this.#redis.disconnect(true)
  }

  isSilent(): Promise<boolean> {
    return isSilent(this.#redis)
  }

  /** `host:port` of the server that it hears. */
  get place(): string {
    const { host, port } = this.#redis.options
    return `${host}:${port}`
  }

  close(): void {
    this.#redis.disconnect()
  }
}
