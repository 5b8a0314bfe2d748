import { Redis } from 'ioredis'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { redisRefusalOf, storageTrouble } from './errors.ts'

export interface RedisAddress {
  /** `redis://…` or `rediss://…` */
  url: string
  user?: string | undefined
  password?: string | undefined
}

const COMMAND_MS = 2_000
const CONNECT_MS = 5_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MOST_MS = 1_000
/** A server found to be unusable is checked again after this long. */
const LOOK_AGAIN_MS = 1_000

/**
 * One Redis: a connection for commands that fails fast, and one that listens. The commands' server
 * is checked at every connect, before it is used.
 */
export class RedisConnection {
  readonly #commands: Redis
  readonly #listener: Redis
  readonly #check: (redis: Redis) => Promise<void>
  /** The check of the connected server; null while there is none. */
  #checked: Promise<void> | null = null
  #lastError: unknown = new Error('not connected yet')
  #closed = false

  /**
   * Resolves when the server is usable, and also when there is none: it is then used once it
   * appears. Throws `RedisRefusedError` for one that an operator must fix. `check` throws it too.
   */
  static async open(
    address: RedisAddress,
    check: (redis: Redis) => Promise<void>,
  ): Promise<RedisConnection> {
    const connection = new RedisConnection(address, check)
    try {
      await connection.#first()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(
    { url, user, password }: RedisAddress,
    check: (redis: Redis) => Promise<void>,
  ) {
    this.#check = check
    this.#commands = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_MS,
      connectTimeout: CONNECT_MS,
      retryStrategy: (times) => Math.min(RECONNECT_FIRST_MS * 2 ** times, RECONNECT_MOST_MS),
      ...(user === undefined ? {} : { username: user }),
      ...(password === undefined ? {} : { password }),
    })
    this.#listener = this.#commands.duplicate({
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
    })
    this.#commands.on('ready', () => this.#look())
    this.#commands.on('close', () => {
      this.#checked = null
    })
    this.#commands.on('error', (error) => {
      this.#lastError = error
    })
    // Every command reports the failure by its own rejection.
    this.#listener.on('error', () => {})
  }

  /** Why Redis cannot be used now; null when it can. */
  async trouble(): Promise<StorageUnavailableError | null> {
    try {
      await this.#usable()
      return null
    } catch (error) {
      return storageTrouble(error)
    }
  }

  /** Runs commands; any failure is a `StorageUnavailableError`. */
  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      await this.#usable()
      return await work(this.#commands)
    } catch (error) {
      throw storageTrouble(error)
    }
  }

  /**
   * Subscribes to a channel; `heardAgain` is called whenever messages may have been missed.
   * Resolves when subscribed, or at once while Redis is unavailable.
   */
  async listen(
    channel: string,
    onMessage: (message: string) => void,
    heardAgain: () => void,
  ): Promise<void> {
    const listener = this.#listener
    listener.on('message', (from, message) => {
      if (from === channel) onMessage(message)
    })
    listener.on('ready', () => {
      // Lost again before the answer: the next `ready` event retries.
      listener.subscribe(channel).then(heardAgain, () => {})
    })
    const connected = listener.connect().then(() => listener.subscribe(channel))
    try {
      await connected
    } catch (error) {
      const refused = redisRefusalOf(error)
      if (refused) throw refused
    }
  }

  close(): void {
    this.#closed = true
    this.#commands.disconnect()
    this.#listener.disconnect()
  }

  async #usable(): Promise<void> {
    if (this.#closed) throw new StorageUnavailableError('closed', 'Redis was closed')
    if (this.#checked === null) throw storageTrouble(this.#lastError)
    await this.#checked
  }

  #look(): void {
    const looking = this.#check(this.#commands)
    this.#checked = looking
    looking.catch((error: unknown) => {
      this.#lastError = error
      const again = () => {
        if (this.#checked === looking && !this.#closed) this.#commands.disconnect(true)
      }
      setTimeout(again, LOOK_AGAIN_MS).unref()
    })
  }

  async #first(): Promise<void> {
    let patience: NodeJS.Timeout | undefined
    const waited = new Promise<void>((resolve) => {
      patience = setTimeout(resolve, CONNECT_MS)
    })
    const connected = this.#commands.connect().then(() => this.#checked)
    try {
      await Promise.race([connected, waited])
    } catch (error) {
      // ioredis reports why a connection was refused only as an event.
      const refused = redisRefusalOf(error) ?? redisRefusalOf(this.#lastError)
      if (refused) throw refused
    } finally {
      clearTimeout(patience)
      connected.catch(() => {})
    }
  }
}

/** The answers of a pipeline or transaction; throws the first error among them. */
export function repliesOf(replies: [error: Error | null, reply: unknown][] | null): unknown[] {
  if (replies === null) throw new Error('the transaction was discarded')
  return replies.map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}
