import type { Redis } from 'ioredis'
import type { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
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
import { Usability } from './usability.ts'

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
  readonly #usability = new Usability()

  constructor(address: RedisAddress, checks: RedisChecks) {
    this.#address = address
    this.#checks = checks
    this.#commands = this.#open()
    this.#listener = new RedisListener(listenerClient(address))
    this.#watching = setInterval(() => void this.#watch(), WATCH_MS).unref()
  }

  /** Connects; throws `RedisRefusedError`, and resolves also while there is no server. */
  first(): Promise<void> {
    const connected = this.#commands.connect().then(() => this.#usability.checked)
    return firstUse(connected, () => this.#usability.lastError)
  }

  trouble(): Promise<StorageUnavailableError | null> {
    return this.#usability.trouble()
  }

  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      await this.#usability.require()
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
    this.#usability.close()
    clearInterval(this.#watching)
    for (const redis of [this.#commands, this.#next]) redis?.disconnect()
    this.#listener.close()
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
      inUse(() => this.#usability.gone()),
    )
    redis.on('error', (error) => inUse(() => this.#usability.note(error))())
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
    if (this.#next || this.#usability.isClosed || now - this.#triedAt < LOOK_AGAIN_MS) return
    this.#triedAt = now
    const next = this.#open()
    this.#next = next
    const late = setTimeout(() => next.disconnect(), CONNECT_MS)
    try {
      await next.connect()
      if (!(await isPrimary(next))) return
      await this.#check(next)
      if (this.#usability.isClosed || next.status !== 'ready') return
      letGo(this.#commands)
      this.#commands = next
      this.#usability.replaced()
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
    const checking = this.#check(this.#commands)
    void this.#usability.check(checking, () => this.#commands.disconnect(true))
  }
}
