import type { Redis } from 'ioredis'
import { freePort, waitUntil } from './programs.ts'
import { type RedisHost, RedisServer } from './redis.ts'

const SLOTS = 16_384
/** Milliseconds of silence after which the others give a server up. */
const NODE_TIMEOUT_MS = 2_000

/** A real Redis Cluster for one test: primaries that share the slots, and a replica of the first. */
export class RedisCluster implements RedisHost {
  readonly servers: readonly RedisServer[]
  readonly replica: RedisServer | null

  /** `settings`: further lines of each configuration. */
  static async start({
    primaries = 3,
    hasReplica = false,
    settings = {},
  }: {
    primaries?: number
    hasReplica?: boolean
    settings?: Record<string, string>
  } = {}): Promise<RedisCluster> {
    const all: RedisServer[] = []
    for (let n = 0; n < primaries + (hasReplica ? 1 : 0); n += 1)
      all.push(await startMember(settings))
    const cluster = new RedisCluster(all.slice(0, primaries), all[primaries] ?? null)
    await cluster.#meet()
    return cluster
  }

  private constructor(servers: readonly RedisServer[], replica: RedisServer | null) {
    this.servers = servers
    this.replica = replica
  }

  get url(): string {
    return this.servers.map(({ url }) => url).join(',')
  }

  get admins(): readonly Redis[] {
    return this.servers.map(({ admin }) => admin)
  }

  async flush(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.flush()))
  }

  /** Stops all servers; their data remain for `restart`. */
  async halt(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.halt()))
  }

  async restart(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.restart()))
    await this.#agrees()
  }

  async stop(): Promise<void> {
    for (const server of this.#all) server.signal('SIGCONT')
    await Promise.all(this.#all.map((server) => server.stop()))
  }

  get #all(): readonly RedisServer[] {
    return this.replica ? [...this.servers, this.replica] : this.servers
  }

  async #meet(): Promise<void> {
    const [first] = this.servers
    for (const [at, { admin, port }] of this.#all.entries()) {
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1)
      const [, busPort = ''] = (await admin.config('GET', 'cluster-port')) as string[]
      if (at > 0) await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort)
    }
    for (const [at, { admin }] of this.servers.entries()) {
      const [from, to] = [at, at + 1].map((n) => Math.floor((n * SLOTS) / this.servers.length))
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', from ?? 0, (to ?? SLOTS) - 1)
    }
    await this.#agrees()
    if (!this.replica || !first) return
    await this.replica.admin.cluster('REPLICATE', String(await first.admin.call('CLUSTER', 'MYID')))
    await waitUntil('the replica follows', async () =>
      /^slave0:.*state=online/m.test(await first.admin.info('replication')),
    )
  }

  /** Until every server knows of all, and takes commands. */
  #agrees(): Promise<void> {
    const states = () => Promise.all(this.#all.map(({ admin }) => admin.cluster('INFO')))
    return waitUntil('the cluster is whole', async () =>
      (await states()).every(
        (state) =>
          state.includes('cluster_state:ok') &&
          state.includes(`cluster_known_nodes:${this.#all.length}\r`),
      ),
    )
  }
}

async function startMember(settings: Record<string, string>): Promise<RedisServer> {
  return RedisServer.start({
    'cluster-enabled': 'yes',
    'cluster-port': String(await freePort()),
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    // All are stopped at once: none waits for another.
    'shutdown-timeout': '0',
    ...settings,
  })
}
