import type { Cluster, Redis } from 'ioredis'
import type { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { RedisChecks, RedisCommands, RedisConnection } from './connection.ts'
import { RedisRefusedError, storageTrouble } from './errors.ts'
import { firstUse } from './first-use.ts'
import { RedisListener } from './listener.ts'
import { isCutOff, WATCH_MS } from './primary-watch.ts'
import { clusterClient, clusterListenerClient, type RedisAddress } from './redis-clients.ts'
import { Usability } from './usability.ts'

/**
 * A Redis Cluster. Every primary is checked before the first command, and one that is promoted or added
 * later within 3 s. A server that is silent, or cut off from the others, is let go: the others say who
 * has its keys now. Commands for keys that no primary has fail, and no others.
 */
export class ClusterConnection implements RedisConnection {
  readonly isCluster = true
  readonly #checks: RedisChecks
  readonly #cluster: Cluster
  readonly #listener: RedisListener
  readonly #watching: NodeJS.Timeout
  /** Primaries that passed. */
  #passed = new WeakSet<Redis>()
  readonly #usability = new Usability()

  constructor(address: RedisAddress, checks: RedisChecks) {
    this.#checks = checks
    this.#cluster = clusterClient(address)
    this.#follow(this.#cluster)
    const known = () => this.#cluster.nodes().map(({ options }) => options)
    this.#listener = new RedisListener(clusterListenerClient(address, known))
    this.#watching = setInterval(() => void this.#watch(), WATCH_MS).unref()
  }

  /** Connects; throws `RedisRefusedError`, and resolves also while there is no server. */
  first(): Promise<void> {
    // The event comes later.
    const connected = this.#cluster.connect().then(() => this.#usability.checked ?? this.#look())
    return firstUse(connected, () => this.#usability.lastError)
  }

  trouble(): Promise<StorageUnavailableError | null> {
    return this.#usability.trouble()
  }

  async run<T>(work: (redis: RedisCommands) => Promise<T>): Promise<T> {
    try {
      await this.#usability.require()
      return await work(this.#cluster)
    } catch (error) {
      throw storageTrouble(error)
    }
  }

  listen(...listening: Parameters<RedisConnection['listen']>): Promise<void> {
    return this.#listener.listen(...listening)
  }

  close(): void {
    this.#usability.close()
    clearInterval(this.#watching)
    this.#cluster.disconnect()
    this.#listener.close()
  }

  #follow(cluster: Cluster): void {
    const { note } = this.#usability
    cluster.on('ready', () => {
      if (!this.#usability.checked) void this.#look()
    })
    cluster.on('close', () => {
      this.#usability.gone()
      this.#passed = new WeakSet()
    })
    cluster.on('error', note)
    cluster.on('node error', note)
    // Connected before the first command for it, others of which would fail meanwhile.
    cluster.on('+node', () => void this.#checkNew())
  }

  #look(): Promise<void> {
    return this.#usability.check(this.#check(), () => void this.#look())
  }

  async #check(): Promise<void> {
    await Promise.all(this.#cluster.nodes('master').map((server) => this.#checkServer(server)))
    await this.#checks.keys(this.#cluster)
  }

  /** Throws only what an operator must fix: the commands for a server that gives no answer report it. */
  async #checkServer(server: Redis): Promise<void> {
    if (this.#passed.has(server)) return
    try {
      if (server.status === 'wait') await server.connect()
      await this.#checks.server(server)
      this.#passed.add(server)
    } catch (error) {
      if (error instanceof RedisRefusedError) throw error
    }
  }

  /** Nothing is used any more once a new primary is found to be unusable. */
  async #checkNew(): Promise<void> {
    if (!this.#usability.isInUse) return
    const servers = this.#cluster.nodes('master').filter((server) => !this.#passed.has(server))
    const checks = await Promise.allSettled(servers.map((server) => this.#checkServer(server)))
    const isRefused = checks.some(({ status }) => status === 'rejected')
    if (isRefused && this.#usability.isInUse) void this.#look()
  }

  async #watch(): Promise<void> {
    const servers = this.#cluster.nodes()
    const cutOff = await Promise.all(servers.map(isCutOff))
    for (const server of servers.filter((_, at) => cutOff[at])) server.disconnect()
    await this.#checkNew()
    const places = this.#cluster.nodes().map(({ options }) => `${options.host}:${options.port}`)
    const isGone = places.length > 0 && !places.includes(this.#listener.place)
    if (isGone || (await this.#listener.isSilent())) this.#listener.again()
  }
}
