import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Program } from '../bundle.ts'
import { openRealChain, type RealChain } from '../chain/real-chain.ts'
import { ClickHouseServer, WRITER } from '../clickhouse/server.ts'
import { temporaryDirectory } from '../embedded.ts'
import { KafkaServer } from '../services/kafka.ts'
import { freePort } from '../services/programs.ts'
import { RedisServer } from '../services/redis.ts'
import { type Ran, runMarket, ServiceProcess } from '../services/service-process.ts'
import { type CountingProxy, openCountingProxy } from './counting-proxy.ts'
import { bytesOnDisk, redisBytes, rssOf, type Sizes } from './sizes.ts'

export interface AbusedOptions {
  program: Program
  variables?: Record<string, string>
  /** Settings of the broker. */
  broker?: Record<string, string>
}

/** With it the pairing pipeline signs whatever is requested. */
const SIGNER = {
  PAIRING_KEY_ID: 'a-1',
  PAIRING_PRIVATE_KEY: '07'.repeat(32),
  PAIRING_RELEASE_NAME: 'market',
  PAIRING_RELEASE_VERSION: '1',
  PAIRING_RELEASE_COMMIT: 'c'.repeat(40),
  PAIRING_RELEASE_DIGEST: `sha256:${'d'.repeat(64)}`,
}

/**
 * As in compose.yaml. Restart tests write through; here every write would wait for this machine's
 * disk.
 */
const AS_DEPLOYED = { appendfsync: 'everysec' }

/** The whole service in one process on real parts; its requests to node and index are counted. */
export class AbusedService {
  readonly chain: RealChain
  readonly kafka: KafkaServer
  readonly redis: RedisServer
  readonly clickhouse: ClickHouseServer
  readonly node: CountingProxy
  readonly index: CountingProxy
  readonly #program: Program
  readonly #directory: { path: string; drop(): void }
  readonly variables: Record<string, string>
  #process: ServiceProcess | null = null
  address = ''

  static async open({
    program,
    variables = {},
    broker = {},
  }: AbusedOptions): Promise<AbusedService> {
    const [chain, kafka, redis, clickhouse] = await Promise.all([
      openRealChain(),
      KafkaServer.start(broker),
      RedisServer.start(AS_DEPLOYED),
      ClickHouseServer.start(),
    ])
    // In production they run on machines of their own.
    for (const part of [chain.core, chain.ord, kafka, clickhouse]) part.lowerPriority()
    const node = await openCountingProxy(chain.core.url)
    const index = await openCountingProxy(chain.ord.url)
    const directory = temporaryDirectory()
    return new AbusedService(program, { chain, kafka, redis, clickhouse, node, index }, directory, {
      BITCOIN_NETWORK: 'regtest',
      BITCOIN_RPC_URL: node.url,
      BITCOIN_RPC_COOKIE_FILE: chain.core.cookieFile,
      ASSET_INDEX_URL: index.url,
      MEMPOOL_POLL_MS: '1000',
      KAFKA_BROKERS: kafka.broker,
      REDIS_URL: redis.url,
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_USER: WRITER.user,
      CLICKHOUSE_PASSWORD: WRITER.password,
      CURSOR_KEY: randomBytes(32).toString('hex'),
      ORDER_PARTITIONS: '4',
      TRUST_PROXY: '127.0.0.1',
      RATE_LIMIT_READ: '600',
      RATE_LIMIT_PROVED_KIB: '4096',
      RATE_LIMIT_STRANGERS_PROVED_KIB: '131072',
      LOG_LEVEL: 'warn',
      ...SIGNER,
      ...variables,
    })
  }

  private constructor(
    program: Program,
    parts: {
      chain: RealChain
      kafka: KafkaServer
      redis: RedisServer
      clickhouse: ClickHouseServer
      node: CountingProxy
      index: CountingProxy
    },
    directory: { path: string; drop(): void },
    variables: Record<string, string>,
  ) {
    this.#program = program
    this.chain = parts.chain
    this.kafka = parts.kafka
    this.redis = parts.redis
    this.clickhouse = parts.clickhouse
    this.node = parts.node
    this.index = parts.index
    this.#directory = directory
    this.variables = { ...variables, DATA_DIR: join(directory.path, 'data') }
  }

  async start(): Promise<void> {
    this.#process = new ServiceProcess(this.#program, ['start'], {
      ...this.variables,
      PORT: String(await freePort()),
      METRICS_PORT: String(await freePort()),
    })
    this.address = await this.#process.ready()
  }

  /** The running process. */
  get process(): ServiceProcess {
    if (!this.#process) throw new Error('the service was not started')
    return this.#process
  }

  async sizes(): Promise<Sizes> {
    return {
      kafka: bytesOnDisk(this.kafka.dataDirectory),
      redis: await redisBytes(this.redis.admin),
      lmdb: bytesOnDisk(this.variables['DATA_DIR'] ?? ''),
      rss: rssOf(this.process.pid),
    }
  }

  /** The service on the stores of its own folder alone, as an alternative to Kafka and Redis. */
  async startAlone(): Promise<{ process: ServiceProcess; address: string; dataDir: string }> {
    const shared = ['KAFKA_BROKERS', 'REDIS_URL', 'CLICKHOUSE_URL']
    const own = Object.entries(this.variables).filter(([name]) => !shared.includes(name))
    const dataDir = join(this.#directory.path, 'alone')
    const process = new ServiceProcess(this.#program, ['start'], {
      ...Object.fromEntries(own.filter(([name]) => !name.startsWith('CLICKHOUSE'))),
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      METRICS_PORT: String(await freePort()),
    })
    return { process, address: await process.ready(), dataDir }
  }

  /** `market audit`, which needs the service stopped. */
  async audit(): Promise<Ran> {
    await this.#process?.end()
    this.#process = null
    return await runMarket(this.#program, ['audit'], { ...this.variables, LOG_LEVEL: 'silent' })
  }

  async close(): Promise<void> {
    await this.#process?.end('SIGKILL')
    await Promise.all([this.node.close(), this.index.close()])
    await Promise.all([
      this.clickhouse.stop(),
      this.redis.stop(),
      this.kafka.stop(),
      this.chain.close(),
    ])
    this.#directory.drop()
  }
}
