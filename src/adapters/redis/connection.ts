import { Redis } from 'ioredis'
import { StorageUnavailable } from '../../ports/storage-errors.ts'
import { RedisRefused, storageTrouble } from './errors.ts'

const COMMAND_MS = 2_000
const CONNECT_MS = 5_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MOST_MS = 1_000
const OLDEST = 7

/** One Redis: a connection for commands that fails fast, and one that listens. */
export class RedisConnection {
  readonly #commands: Redis
  readonly #listener: Redis
  #closed = false

  /** Throws `RedisRefused` for a Redis that would lose views, `StorageUnavailable` for none. */
  static async open(url: string): Promise<RedisConnection> {
    const connection = new RedisConnection(url)
    try {
      await connection.run((redis) => redis.connect())
      await connection.#require()
      await connection.#listener.connect().catch((error) => Promise.reject(storageTrouble(error)))
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(url: string) {
    this.#commands = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_MS,
      connectTimeout: CONNECT_MS,
      retryStrategy: (times) => Math.min(RECONNECT_FIRST_MS * 2 ** times, RECONNECT_MOST_MS),
    })
    this.#listener = this.#commands.duplicate({
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
    })
    // Every command tells of the failure by its own rejection.
    for (const redis of [this.#commands, this.#listener]) redis.on('error', () => {})
  }

  /** Runs commands; what goes wrong is a `StorageUnavailable`. */
  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageUnavailable('closed', 'the views are closed')
    try {
      return await work(this.#commands)
    } catch (error) {
      throw storageTrouble(error)
    }
  }

  /** Hears a channel; `heardAgain` after each time that messages may have been missed. */
  async listen(
    channel: string,
    heard: (message: string) => void,
    heardAgain: () => void,
  ): Promise<void> {
    const listener = this.#listener
    listener.on('message', (from, message) => {
      if (from === channel) heard(message)
    })
    try {
      await listener.subscribe(channel)
    } catch (error) {
      throw storageTrouble(error)
    }
    listener.on('ready', () => {
      // Lost again before the answer: the next `ready` comes here too.
      listener.subscribe(channel).then(heardAgain, () => {})
    })
  }

  close(): void {
    this.#closed = true
    this.#commands.disconnect()
    this.#listener.disconnect()
  }

  async #require(): Promise<void> {
    const info = await this.run((redis) => redis.info())
    const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
    const version = field('redis_version')
    if (Number.parseInt(version, 10) < OLDEST) {
      throw new RedisRefused(`Redis is ${version}: the views need Redis ${OLDEST} or above`)
    }
    const policy = field('maxmemory_policy')
    if (policy !== 'noeviction') {
      throw new RedisRefused(
        `Redis evicts keys (maxmemory-policy ${policy}) and would lose orders unseen: set maxmemory-policy noeviction`,
      )
    }
  }
}

/** The answers of a pipeline or transaction; throws the first error among them. */
export function answersOf(replies: [error: Error | null, reply: unknown][] | null): unknown[] {
  if (replies === null) throw new Error('the transaction was discarded')
  return replies.map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}
