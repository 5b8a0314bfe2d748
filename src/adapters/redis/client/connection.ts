import type { Redis } from 'ioredis'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { isDemotion, redisRefusalOf, storageTrouble } from './errors.ts'
import { isLeftBehind, isPrimary, isSilent } from './primary-watch.ts'
import {
  CONNECT_MS,
  commandsClient,
  letGo,
  listenerClient,
  type RedisAddress,
} from './redis-clients.ts'

/** A server found to be unusable is checked again after this long. */
const LOOK_AGAIN_MS = 1_000
/** A server may be replaced without any connection being closed: that is asked this often. */
const WATCH_MS = 3_000

/**
 * One Redis: a connection for commands that fails fast, and one that listens. The commands' server
 * is checked at every connect, before it is used. One that was demoted, or is silent, is left as soon
 * as the name leads to a primary; until then it answers reads.
 */
export class RedisConnection {
  readonly #address: RedisAddress
  #commands: Redis
  readonly #listener: Redis
  readonly #watching: NodeJS.Timeout
  /** Tried out instead of `#commands`. */
  #next: Redis | null = null
  #triedAt = Number.NEGATIVE_INFINITY
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

  private constructor(address: RedisAddress, check: (redis: Redis) => Promise<void>) {
    this.#address = address
    this.#check = check
    this.#commands = this.#open()
    this.#listener = listenerClient(address)
    // Every command reports the failure by its own rejection.
    this.#listener.on('error', () => {})
    this.#watching = setInterval(() => void this.#watch(), WATCH_MS).unref()
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
      if (isDemotion(error)) void this.#moveOn()
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
    clearInterval(this.#watching)
    for (const redis of [this.#commands, this.#next, this.#listener]) redis?.disconnect()
  }

  async #usable(): Promise<void> {
    if (this.#closed) throw new StorageUnavailableError('closed', 'Redis was closed')
    if (this.#checked === null) throw storageTrouble(this.#lastError)
    await this.#checked
  }

  #open(): Redis {
    const redis = commandsClient(this.#address, () => this.#commands === redis)
    const inUse = (happened: () => void) => () => {
      if (this.#commands === redis) happened()
    }
    redis.on(
      'ready',
      inUse(() => this.#look()),
    )
    redis.on(
      'close',
      inUse(() => {
        this.#checked = null
      }),
    )
    redis.on('error', (error) =>
      inUse(() => {
        this.#lastError = error
      })(),
    )
    return redis
  }

  async #watch(): Promise<void> {
    const [isBehind, isDeaf] = await Promise.all([
      isLeftBehind(this.#commands),
      isSilent(this.#listener),
    ])
    if (isBehind) await this.#moveOn()
    else if (isDeaf) this.#listenAgain()
  }

  /** Goes on with what the name leads to now, if it is a primary. No command is sent again. */
  async #moveOn(): Promise<void> {
    const now = performance.now()
    if (this.#next || this.#closed || now - this.#triedAt < LOOK_AGAIN_MS) return
    this.#triedAt = now
    const next = this.#open()
    this.#next = next
    const late = setTimeout(() => next.disconnect(), CONNECT_MS)
    try {
      await next.connect()
      if (!(await isPrimary(next))) return
      await this.#check(next)
      if (this.#closed || next.status !== 'ready') return
      letGo(this.#commands)
      this.#commands = next
      this.#checked = Promise.resolve()
      this.#listenAgain()
    } catch {
      // The one in use reports its own failure, and this is tried again.
    } finally {
      clearTimeout(late)
      this.#next = null
      if (this.#commands !== next) next.disconnect()
    }
  }

  /** At the server that the name leads to now; the listener is told that it may have missed some. */
  #listenAgain(): void {
    if (this.#listener.status === 'ready') this.#listener.disconnect(true)
  }

  #look(): void {
    // The name may lead elsewhere than when the listener was connected.
    this.#listenAgain()
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
