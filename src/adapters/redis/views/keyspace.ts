import { randomBytes } from 'node:crypto'
import type { ChainableCommander } from 'ioredis'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { Network } from '../../../schemas/scalars.ts'
import { type RedisCommands, type RedisConnection, repliesOf } from '../client/connection.ts'
import { RedisRefusedError } from '../client/errors.ts'
import { openRedis } from '../client/open-redis.ts'
import type { RedisAddress } from '../client/redis-clients.ts'
import { fullestOf, memoriesOf, type ServerMemory } from '../client/server-facts.ts'
import { KEY_NAMES, META_FIELDS, rootOf, VIEWS } from '../rights/key-names.ts'
import { ALL_REDIS_USES, type RedisUse, usesAt } from '../rights/redis-uses.ts'
import { requireServer } from '../rights/server-needs.ts'

export interface KeyspaceOptions extends RedisAddress {
  /** The prefix of all keys; `market`. */
  prefix?: string
  network: Network
  partitions: number
  /** The uses whose rights are checked. Absent: all uses. */
  uses?: readonly RedisUse[]
}

/**
 * One set of views: the set that is read, or the set being rebuilt to replace it. Each has a unique
 * name.
 */
export interface Generation {
  /** The field of `meta` that names the generation. */
  role: typeof META_FIELDS.current | typeof META_FIELDS.next
  name: string
}

const APPLICATION = 'market'
const NAME_BYTES = 6
/** Attempts at a read: a rebuild replaces the views only once. */
const READ_ATTEMPTS = 100

/** The keys of one service in one Redis: their names, and whether they belong to this service. */
export class Keyspace {
  /** The braces keep all keys on one node of a cluster. */
  readonly root: string
  readonly partitions: number
  readonly network: Network
  readonly #wanted: ReturnType<typeof wantedMeta>
  #connection: RedisConnection | null = null
  #current: string | null = null

  /**
   * Throws `RedisRefusedError`, with the cure, for a Redis that evicts, is too old, requires another
   * user, or holds keys under the prefix that are not this service's. Resolves while there is no
   * Redis: every call then fails until it appears.
   */
  static async open(options: KeyspaceOptions): Promise<Keyspace> {
    const keyspace = new Keyspace(options)
    const uses = usesAt(options, options.uses ?? ALL_REDIS_USES)
    keyspace.#connection = await openRedis(options, {
      server: (redis) => requireServer(redis, keyspace.root, uses),
      keys: (redis) => keyspace.#claim(redis),
    })
    return keyspace
  }

  private constructor({ prefix = APPLICATION, network, partitions }: KeyspaceOptions) {
    this.root = rootOf(prefix)
    this.partitions = partitions
    this.network = network
    this.#wanted = wantedMeta({ network, partitions })
  }

  get connection(): RedisConnection {
    if (!this.#connection) throw new StorageUnavailableError('io', 'Redis is being opened')
    return this.#connection
  }

  /** The memory of the fullest server. */
  async memory(): Promise<ServerMemory> {
    return fullestOf(await this.run((redis) => memoriesOf(redis)))
  }

  get run(): RedisConnection['run'] {
    const { connection } = this
    return (work) => connection.run(work)
  }

  get meta(): string {
    return this.root + KEY_NAMES.meta
  }

  prefixOf({ name }: Pick<Generation, 'name'>): string {
    return `${this.root}${VIEWS}${name}:`
  }

  /** The views that this process knows as current: each read checks that they still are. */
  async current(): Promise<Generation> {
    if (this.#current === null) await this.run((redis) => this.#claim(redis))
    return { role: META_FIELDS.current, name: this.#current ?? '' }
  }

  /** Reads the current views. */
  async read(ask: (pipeline: ChainableCommander, prefix: string) => void): Promise<unknown[]> {
    for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt += 1) {
      const replies = await this.readOf(await this.current(), ask)
      if (replies) return replies
    }
    throw new StorageUnavailableError('io', 'the views in Redis are replaced repeatedly')
  }

  /**
   * Reads one generation, in one transaction (`at once`) or in one pipeline. Null if the generation
   * was replaced meanwhile: its keys may be gone.
   */
  async readOf(
    generation: Generation,
    ask: (pipeline: ChainableCommander, prefix: string) => void,
    when: 'at once' | 'in turn' = 'in turn',
  ): Promise<unknown[] | null> {
    const { role, name } = generation
    const replies = await this.run(async (redis) => {
      const pipeline = when === 'at once' ? redis.multi() : redis.pipeline()
      ask(pipeline, this.prefixOf(generation))
      // Requested last: a generation that has its role now also had it during the read.
      return repliesOf(await pipeline.hget(this.meta, role).exec())
    })
    if (replies.pop() === name) return replies
    this.forget(generation)
    return null
  }

  /** Makes the next read look up the current views. */
  forget({ name }: Generation): void {
    if (this.#current === name) this.#current = null
  }

  close(): void {
    this.#connection?.close()
  }

  /** Claims the keys for this service as it is configured, or finds them claimed. */
  async #claim(redis: RedisCommands): Promise<void> {
    const have = await this.#take(redis)
    requireOurs(this.root, this.#wanted, have)
    this.#current = have[META_FIELDS.current] ?? (await this.#beginViews(redis))
  }

  /** Makes the first views of this layout, where another release has made all that are there. */
  async #beginViews(redis: RedisCommands): Promise<string | null> {
    const { meta } = this
    await redis.hsetnx(meta, META_FIELDS.current, newName())
    return await redis.hget(meta, META_FIELDS.current)
  }

  async #take(redis: RedisCommands): Promise<Record<string, string>> {
    const { meta } = this
    const kind = await redis.type(meta)
    // Keys without an application's name belong to someone else.
    if (kind !== 'none') return kind === 'hash' ? redis.hgetall(meta) : {}
    const claiming = redis.multi()
    for (const [field, value] of Object.entries(this.#wanted)) {
      claiming.hsetnx(meta, field, value)
    }
    return repliesOf(await claiming.hgetall(meta).exec()).at(-1) as Record<string, string>
  }
}

export const newName = (): string => randomBytes(NAME_BYTES).toString('hex')

/** The fields of `meta` of a service with this configuration. */
export const wantedMeta = ({
  network,
  partitions,
}: Pick<KeyspaceOptions, 'network' | 'partitions'>) => ({
  application: APPLICATION,
  network,
  partitions: String(partitions),
})

/** Throws `RedisRefusedError`, with the cure, for keys of another application or configuration. */
export function requireOurs(
  root: string,
  wanted: ReturnType<typeof wantedMeta>,
  have: Readonly<Record<string, string>>,
): void {
  const elsewhere = 'set REDIS_PREFIX to another one'
  const again = `flush this Redis database, or ${elsewhere}: the views are rebuilt from the log`
  if (have['application'] !== wanted['application']) {
    throw new RedisRefusedError(`${root} in Redis belongs to another application: ${elsewhere}`)
  }
  if (have['network'] !== wanted['network']) {
    throw new RedisRefusedError(
      `the views in Redis are for ${have['network']}, but BITCOIN_NETWORK is ${wanted['network']}: ${elsewhere}`,
    )
  }
  if (have['partitions'] !== wanted['partitions']) {
    throw new RedisRefusedError(
      `the views in Redis were created with ${have['partitions']} partitions, but ${wanted['partitions']} are configured: set ORDER_PARTITIONS to ${have['partitions']}, or ${again}`,
    )
  }
}
