import { join } from 'node:path'
import { Redis } from 'ioredis'
import { META_FIELDS, VIEWS } from '../../../src/adapters/redis/rights/key-names.ts'
import { Keyspace, type KeyspaceOptions } from '../../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../../src/adapters/redis/views/views.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { temporaryDirectory } from '../embedded.ts'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'

/** What stores run on: a server, or several. */
export interface RedisHost {
  /** As REDIS_URL. */
  readonly url: string
  /** The test's own connections, one to each server. */
  readonly admins: readonly Redis[]
  /** Removes all keys. */
  flush(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A real Redis for one test, on a free port of this machine, its data in a temporary directory. */
export class RedisServer implements RedisHost {
  readonly url: string
  readonly #name: 'REDIS_SERVER' | 'VALKEY_SERVER'
  readonly #args: readonly string[]
  readonly #directory: { path: string; drop(): void }
  /** The test's own connection. */
  readonly admin: Redis
  #program: RunningProgram

  /** `settings`: further lines of the configuration. */
  static async start(
    settings: Record<string, string> = {},
    name: 'REDIS_SERVER' | 'VALKEY_SERVER' = 'REDIS_SERVER',
  ): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings, name)
    await server.#answers()
    return server
  }

  private constructor(
    port: number,
    settings: Record<string, string>,
    name: 'REDIS_SERVER' | 'VALKEY_SERVER',
  ) {
    this.#name = name
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

  get admins(): readonly Redis[] {
    return [this.admin]
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  async flush(): Promise<void> {
    await this.admin.flushall()
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

  /** At once, without a farewell to its clients; `restart` starts it again. */
  async kill(): Promise<void> {
    this.#program.kill('SIGKILL')
    await this.#program.stop()
  }

  /** SIGSTOP: it is silent, and no connection is closed; `SIGCONT` ends that. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#program.kill(signal)
  }

  /** Ends the server, and throws its data away. */
  async stop(): Promise<void> {
    this.admin.disconnect()
    await this.#program.discard()
    this.#directory.drop()
  }

  #start(): RunningProgram {
    const log = join(this.#directory.path, 'redis.log')
    return startProgram(programPath(this.#name), [...this.#args], log)
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
export async function dumpRedis({
  admins,
}: Pick<RedisHost, 'admins'>): Promise<Record<string, unknown>> {
  const held: [key: string, value: unknown][] = []
  for (const admin of admins) {
    const keys = (await admin.keys('*')).filter((key) => !PASSING.test(key))
    for (const key of keys) held.push([key, await heldBy(admin, key)])
  }
  const read = await generationIn({ admins })
  const named = held.map(([key, value]) => [key.replace(`${VIEWS}${read}:`, 'v:'), value] as const)
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The connection to the server that has a key. */
export async function adminOf({ admins }: Pick<RedisHost, 'admins'>, key: string): Promise<Redis> {
  // Another server of a cluster refuses to say.
  const kinds = await Promise.all(admins.map((admin) => admin.type(key).catch(() => null)))
  const admin = admins[kinds.findIndex((kind) => kind !== null)]
  if (!admin) throw new Error(`no server has ${key}`)
  return admin
}

/** The name of the views that are read. */
export async function generationIn(host: Pick<RedisHost, 'admins'>): Promise<string | null> {
  return (await adminOf(host, META)).hget(META, META_FIELDS.current)
}

const META = '{market}:meta'

async function heldBy(admin: Redis, key: string): Promise<unknown> {
  switch (await admin.type(key)) {
    case 'string':
      return (await admin.getBuffer(key))?.toString('hex').replace(/(?:00)+$/, '')
    case 'hash':
      return entriesOf((await admin.callBuffer('HGETALL', key)) as Buffer[])
        .filter(([field]) => field !== META_FIELDS.current)
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
