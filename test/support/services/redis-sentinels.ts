import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { temporaryDirectory } from '../embedded.ts'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'
import { RedisServer } from './redis.ts'

/** Milliseconds of silence after which a sentinel gives a server up. */
const DOWN_AFTER_MS = 1_000
const FAILOVER_MS = 3_000
const SENTINELS = 3

/** The name by which the sentinels know the primary. */
export const SENTINEL_NAME = 'market-primary'

/** A primary, its replica, and three real sentinels, two of which replace the one by the other. */
export class RedisSentinels {
  /** Of the sentinels, as REDIS_URL. */
  readonly url: string
  readonly servers: readonly [RedisServer, RedisServer]
  readonly #directory: { path: string; drop(): void }
  readonly #ports: readonly number[]
  readonly #admins: readonly Redis[]
  #programs: RunningProgram[] = []

  /** `password`: what the sentinels ask of clients. */
  static async start({ password = '' } = {}): Promise<RedisSentinels> {
    const servers = [await RedisServer.start(), await RedisServer.start()] as const
    const [one, two] = servers
    await two.admin.replicaof('127.0.0.1', one.port)
    const ports = []
    for (let n = 0; n < SENTINELS; n += 1) ports.push(await freePort())
    const sentinels = new RedisSentinels(servers, ports, password)
    sentinels.#start(password)
    await waitUntil('each sentinel knows all servers', () => sentinels.#know())
    return sentinels
  }

  private constructor(
    servers: readonly [RedisServer, RedisServer],
    ports: readonly number[],
    password: string,
  ) {
    this.servers = servers
    this.#ports = ports
    this.#directory = temporaryDirectory()
    this.url = ports.map((port) => `redis://127.0.0.1:${port}`).join(',')
    this.#admins = ports.map((port) => {
      const admin = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, password })
      return admin.on('error', () => {})
    })
  }

  /** The server that takes writes now, by the first sentinel. */
  async primaryPort(): Promise<number> {
    const [, port] = (await this.#ask('GET-MASTER-ADDR-BY-NAME', SENTINEL_NAME)) as [string, string]
    return Number(port)
  }

  /** A planned change of the primary. */
  async failOver(): Promise<void> {
    await this.#ask('FAILOVER', SENTINEL_NAME)
  }

  /** Ends the sentinels; `resume` starts them again. */
  async halt(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.stop()))
  }

  resume(): void {
    this.#programs = this.#ports.map((port) => this.#run(port))
  }

  async stop(): Promise<void> {
    for (const admin of this.#admins) admin.disconnect()
    await this.halt()
    for (const server of this.servers) server.signal('SIGCONT')
    await Promise.all(this.servers.map((server) => server.stop()))
    this.#directory.drop()
  }

  #start(password: string): void {
    const [primary] = this.servers
    for (const port of this.#ports) {
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${this.#directory.path}`,
        `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${primary.port} 2`,
        `sentinel down-after-milliseconds ${SENTINEL_NAME} ${DOWN_AFTER_MS}`,
        `sentinel failover-timeout ${SENTINEL_NAME} ${FAILOVER_MS}`,
        ...(password ? [`requirepass ${password}`, `sentinel sentinel-pass ${password}`] : []),
      ]
      writeFileSync(this.#configuration(port), `${lines.join('\n')}\n`)
    }
    this.resume()
  }

  #run(port: number): RunningProgram {
    const log = join(this.#directory.path, `sentinel-${port}.log`)
    const args = [this.#configuration(port), '--sentinel']
    return startProgram(programPath('REDIS_SERVER'), args, log)
  }

  #configuration(port: number): string {
    return join(this.#directory.path, `sentinel-${port}.conf`)
  }

  async #know(): Promise<boolean> {
    const seen = await Promise.all(
      this.#admins.map((admin) => admin.info('sentinel').catch(() => '')),
    )
    return seen.every((info) => info.includes(`slaves=1,sentinels=${SENTINELS}`))
  }

  #ask(...words: [string, ...string[]]): Promise<unknown> {
    const [admin] = this.#admins
    if (!admin) throw new Error('there is no sentinel')
    return admin.call('SENTINEL', ...words)
  }
}
