import { join } from 'node:path'
import { Redis } from 'ioredis'
import { Keyspace, type KeyspaceOptions } from '../../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../../src/adapters/redis/views/views.ts'
import type { Clock } from '../../../src/ports/runtime/clock.ts'
import { temporaryDirectory } from '../embedded.ts'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'

/** A real Redis for one test, on a free port of this machine, its data in a temporary directory. */
export class RedisServer {
  readonly url: string
  readonly #args: readonly string[]
  readonly #directory: { path: string; drop(): void }
  /** The test's own connection. */
  readonly admin: Redis
  #program: RunningProgram

  /** `settings`: further lines of the configuration. */
  static async start(settings: Record<string, string> = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings)
    await server.#answers()
    return server
  }

  private constructor(port: number, settings: Record<string, string>) {
    this.#directory = temporaryDirectory()
    this.url = `redis://127.0.0.1:${port}`
    this.#args = [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', this.#directory.path],
      ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ]
    this.#program = this.#start()
    this.admin = new Redis(this.url, { maxRetriesPerRequest: null })
    this.admin.on('error', () => {})
  }

  async restart(): Promise<void> {
    await this.halt()
    this.#program = this.#start()
    await this.#answers()
  }

  /** Stops the server; its data remain for `restart`. */
  async halt(): Promise<void> {
    await this.#program.stop()
  }

  async stop(): Promise<void> {
    this.admin.disconnect()
    await this.#program.stop()
    this.#directory.drop()
  }

  #start(): RunningProgram {
    const log = join(this.#directory.path, 'redis.log')
    return startProgram(programPath('REDIS_SERVER'), [...this.#args], log)
  }

  #answers(): Promise<void> {
    return waitUntil('Redis answers', async () => {
      if (this.#program.exited()) throw new Error('Redis did not start: see redis.log')
      return (await this.admin.ping().catch(() => '')) === 'PONG'
    })
  }
}

/** Of a test's only service on a Redis: regtest, one partition. */
export const openKeyspace = (url: string, options: Partial<KeyspaceOptions> = {}) =>
  Keyspace.open({ url, network: 'regtest', partitions: 1, ...options })

/** The views as in a separate process. */
export async function openRedisViews(
  url: string,
  { clock, ...options }: Partial<KeyspaceOptions> & { clock: Clock },
) {
  const keyspace = await openKeyspace(url, options)
  try {
    const views = await RedisViews.open({ keyspace, clock })
    return { views, keyspace, close: () => keyspace.close() }
  } catch (error) {
    keyspace.close()
    throw error
  }
}

/** Keys about the writing itself, not about what was written. */
const PASSING = /:(?:open|written|hold|probe|changes|tried:.*)$/

/**
 * Every key of a Redis with its value: fields sorted by name, bitmaps without trailing zeros, and
 * the views in use under `v:`, whatever their name.
 */
export async function dumpRedis({ admin }: RedisServer): Promise<Record<string, unknown>> {
  const read = await admin.hget('{market}:meta', 'generation')
  const keys = (await admin.keys('*')).filter((key) => !PASSING.test(key))
  const held = await Promise.all(
    keys.map(async (key) => [key.replace(`v:${read}:`, 'v:'), await heldBy(admin, key)] as const),
  )
  return Object.fromEntries(held.sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function heldBy(admin: Redis, key: string): Promise<unknown> {
  switch (await admin.type(key)) {
    case 'string':
      return (await admin.getBuffer(key))?.toString('hex').replace(/(?:00)+$/, '')
    case 'hash':
      return entriesOf((await admin.callBuffer('HGETALL', key)) as Buffer[])
        .filter(([field]) => field !== 'generation')
        .sort(([a], [b]) => (a < b ? -1 : 1))
    default:
      return admin.zrange(key, 0, -1, 'WITHSCORES')
  }
}

/** HGETALL's fields and values, a letter a byte. */
const entriesOf = (reply: readonly Buffer[]): [field: string, value: string][] =>
  reply.flatMap((field, at) =>
    at % 2 === 0 ? [[field.toString('latin1'), reply[at + 1]?.toString('latin1') ?? '']] : [],
  )
