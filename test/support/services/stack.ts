import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import type { Role } from '../../../src/schemas/config/config.ts'
import type { Program } from '../bundle.ts'
import { openRealChain, type RealChain } from '../chain/real-chain.ts'
import { ClickHouseServer, WRITER } from '../clickhouse/server.ts'
import type { ClickHouseUsers } from '../clickhouse/users.ts'
import { temporaryDirectory } from '../embedded.ts'
import { KafkaServer } from './kafka.ts'
import { freePort, waitUntil } from './programs.ts'
import { RedisServer } from './redis.ts'
import { type Ended, ServiceProcess } from './service-process.ts'

export type StackRole = Exclude<Role, 'all'>
export const STACK_ROLES: readonly StackRole[] = ['projector', 'actors', 'ingest', 'gateway']

export interface StackOptions {
  program: Program
  /** Settings of the broker; its stock settings by default. */
  broker?: Record<string, string>
  /** Users of the broker, which then checks rights: their passwords, by name. */
  users?: Record<string, string>
  /** Users of ClickHouse beside the one that every role has here. */
  historyUsers?: ClickHouseUsers
  /** Variables of every role. */
  variables?: Record<string, string>
}

/** A role in a process of its own. */
export interface RoleProcess {
  readonly name: string
  readonly role: StackRole
  readonly pid: number
  /** The address of its probes and, for a gateway, its routes. */
  readonly address: string
  readonly metricsAddress: string
  /** The entries of its log so far. */
  log(): Record<string, unknown>[]
  signal(signal: NodeJS.Signals): void
  end(signal?: NodeJS.Signals): Promise<Ended>
  /** Has it ended? */
  readonly hasEnded: boolean
}

/** Every service and every role of the market on this machine, each a process of its own. */
export class Stack {
  readonly chain: RealChain
  readonly kafka: KafkaServer
  readonly redis: RedisServer
  readonly clickhouse: ClickHouseServer
  readonly roles = new Map<string, RoleProcess>()
  readonly #options: StackOptions
  readonly #directory = temporaryDirectory()
  readonly #shared: Record<string, string>

  /** The services; roles are started one by one, or by `startAll`. */
  static async start(options: StackOptions): Promise<Stack> {
    const opened: { close(): Promise<void> }[] = []
    const keep = async <T>(opening: Promise<T>, close: (part: T) => Promise<void>): Promise<T> => {
      const part = await opening
      opened.unshift({ close: () => close(part) })
      return part
    }
    try {
      const [chain, kafka, redis, clickhouse] = await Promise.all([
        keep(openRealChain(), (part) => part.close()),
        keep(KafkaServer.start(options.broker ?? {}, options.users), (part) => part.stop()),
        keep(RedisServer.start(), (part) => part.stop()),
        keep(ClickHouseServer.start(options.historyUsers), (part) => part.stop()),
      ])
      return new Stack(options, { chain, kafka, redis, clickhouse })
    } catch (error) {
      for (const { close } of opened) await close().catch(() => undefined)
      throw error
    }
  }

  private constructor(
    options: StackOptions,
    services: Pick<Stack, 'chain' | 'kafka' | 'redis' | 'clickhouse'>,
  ) {
    this.#options = options
    this.chain = services.chain
    this.kafka = services.kafka
    this.redis = services.redis
    this.clickhouse = services.clickhouse
    const { core, ord } = services.chain
    this.#shared = {
      BITCOIN_NETWORK: 'regtest',
      BITCOIN_RPC_URL: core.url,
      BITCOIN_RPC_COOKIE_FILE: core.cookieFile,
      ASSET_INDEX_URL: ord.url,
      MEMPOOL_POLL_MS: '100',
      KAFKA_BROKERS: services.kafka.broker,
      REDIS_URL: services.redis.url,
      CLICKHOUSE_URL: services.clickhouse.url,
      CLICKHOUSE_USER: WRITER.user,
      CLICKHOUSE_PASSWORD: WRITER.password,
      CURSOR_KEY: randomBytes(32).toString('hex'),
      BUNDLE_KEY: '07'.repeat(32),
      ORDER_PARTITIONS: '4',
      ...options.variables,
    }
  }

  /** The configuration of a role, and of an operator's commands. */
  get variables(): Record<string, string> {
    return this.#shared
  }

  /** One of each role, ready. */
  async startAll(): Promise<void> {
    await Promise.all(STACK_ROLES.map((role) => this.startRole(role)))
  }

  /**
   * A role, ready; `name` distinguishes it from others of its kind, which keep data of their own.
   * `program` may be another release's.
   */
  async startRole(
    role: StackRole,
    name: string = role,
    own: Record<string, string> = {},
    program: Program = this.#options.program,
  ): Promise<RoleProcess> {
    const { PORT: port = String(await freePort()) } = own
    const metricsPort = String(await freePort())
    const child = new ServiceProcess(program, ['start'], {
      ...this.#shared,
      DATA_DIR: join(this.#directory.path, name),
      ...own,
      ROLE: role,
      PORT: port,
      METRICS_PORT: metricsPort,
    })
    const address = `http://127.0.0.1:${port}`
    let hasEnded = false
    const process: RoleProcess = {
      name,
      role,
      pid: child.pid,
      address,
      metricsAddress: `http://127.0.0.1:${metricsPort}`,
      log: () => child.log(),
      signal: (signal) => child.signal(signal),
      end: async (signal) => {
        const ended = await child.end(signal)
        hasEnded = true
        return ended
      },
      get hasEnded() {
        return hasEnded
      },
    }
    this.roles.set(name, process)
    await child.saying(new RegExp(`^market runs as ${role}:`, 'm'))
    await waitUntil(`${name} is ready`, async () => (await statusOf(`${address}/readyz`)) === 200)
    return process
  }

  /** A role that kills itself on the n-th pass of a point: resolves when it has. */
  async doomed(
    role: StackRole,
    roleChild: string,
    kill: { point: CrashPoint; passing: number },
  ): Promise<Ended['signal']> {
    const child = new ServiceProcess({ market: roleChild }, [JSON.stringify(kill)], {
      ...this.#shared,
      ROLE: role,
      PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: join(this.#directory.path, role),
    })
    return await child.endedBy()
  }

  /** The running role of this name. */
  role(name: string): RoleProcess {
    const found = this.roles.get(name)
    if (!found) throw new Error(`no role ${name} runs`)
    return found
  }

  /** Kills the roles, then the services, and throws their data away. */
  async end(): Promise<void> {
    const running = [...this.roles.values()].filter(({ hasEnded }) => !hasEnded)
    await Promise.all(running.map((role) => role.end('SIGKILL')))
    await Promise.all([
      this.clickhouse.stop(),
      this.redis.stop(),
      this.kafka.stop(),
      this.chain.close(),
    ])
    this.#directory.drop()
  }
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )
