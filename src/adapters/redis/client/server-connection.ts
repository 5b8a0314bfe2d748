import type { Redis } from 'ioredis'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { RedisChecks, RedisConnection } from './connection.ts'
import { isDemotion, storageTrouble } from './errors.ts'
import { firstUse } from './first-use.ts'
import { RedisListener } from './listener.ts'
import { isLeftBehind, isPrimary, LOOK_AGAIN_MS, WATCH_MS } from './primary-watch.ts'
import {
  CONNECT_MS,
  commandsClient,
  letGo,
  listenerClient,
  type RedisAddress,
} from './redis-clients.ts'

/**
 * One server, or one primary with replicas behind one name. The commands' server is checked at every
 * connect, before it is used. One that was demoted, or is silent, is left as soon as the name leads to a
 * primary; until then it answers reads.
 */
export class ServerConnection implements RedisConnection {
  readonly isCluster = false
  readonly #address: RedisAddress
  #commands: Redis
  readonly #listener: RedisListener
  readonly #watching: NodeJS.Timeout
  /** Tried out instead of `#commands`. */
  #next: Redis | null = null
  #triedAt = Number.NEGATIVE_INFINITY
  readonly #checks: RedisChecks
  /** The check of the connected server; null while there is none. */
  #checked: Promise<void> | null = null
  #lastError: unknown = new Error('not connected yet')
  #closed = false

  constructor(address: RedisAddress, checks: RedisChecks) {
    this.#address = address
    this.#checks = checks
    this.#commands = this.#open()
    this.#listener = new RedisListener(listenerClient(address))
    this.#watching = setInterval(() => void this.#watch(), WATCH_MS).unref()
  }

  /** Connects; throws `RedisRefusedError`, and resolves also while there is no server. */
  first(): Promise<void> {
    const connected = this.#commands.connect().then(() => this.#checked)
    return firstUse(connected, () => this.#lastError)
  }

  async trouble(): Promise<StorageUnavailableError | null> {
    try {
      await this.#usable()
      return null
    } catch (error) {
      return storageTrouble(error)
    }
  }

  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      await this.#usable()
      return await work(this.#commands)
    } catch (error) {
      if (isDemotion(error)) void this.#moveOn()
      throw storageTrouble(error)
    }
  }

  listen(...listening: Parameters<RedisConnection['listen']>): Promise<void> {
    return this.#listener.listen(...listening)
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#watching)
    for (const redis of [this.#commands, this.#next]) redis?.disconnect()
    this.#listener.close()
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
      this.#listener.isSilent(),
    ])
    if (isBehind) await this.#moveOn()
    else if (isDeaf) this.#listener.again()
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
      // The name leads elsewhere.
      this.#listener.again()
    } catch {
      // The one in use reports its own failure, and this is tried again.
    } finally {
      clearTimeout(late)
      this.#next = null
      if (this.#commands !== next) next.disconnect()
    }
  }

  async #check(redis: Redis): Promise<void> {
    await this.#checks.server(redis)
    await this.#checks.keys(redis)
  }

  #look(): void {
    // The name may lead elsewhere than when the listener was connected.
    this.#listener.again()
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
}
