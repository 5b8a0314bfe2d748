import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connectClickHouse } from '../../adapters/clickhouse/clickhouse.ts'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { isKafkaRefusal } from '../../adapters/kafka/client/errors.ts'
import { examineKafka } from '../../adapters/kafka/topics/examine.ts'
import { RedisRefusedError } from '../../adapters/redis/client/errors.ts'
import { examineRedis } from '../../adapters/redis/examine.ts'
import {
  PartitionsChangedError,
  StorageUnavailableError,
  StoreLayoutError,
} from '../../ports/log/storage-errors.ts'
import { HistoryRefusedError } from '../../ports/views/history.ts'
import { Closer } from '../../roles/context/closer.ts'
import { LocalStore, storeDirectory } from '../../roles/open/local-store.ts'
import { openHistory } from '../../roles/open/open-history.ts'
import { kafkaSettings, openLog } from '../../roles/open/open-log.ts'
import {
  type RedisConfig,
  redisAddressOf,
  redisPlace,
  usesRedis,
} from '../../roles/open/redis-address.ts'
import { needsOfCommand, redisUsesOf } from '../../roles/rights/needs-of.ts'
import type { Config } from '../../schemas/config/config.ts'
import { operatorContext } from '../log/open-existing.ts'
import {
  type Check,
  clockFinding,
  type Finding,
  fail,
  messageOf,
  ok,
  refused,
  variablesOf,
  warn,
} from './finding.ts'

/** Full enough to warn an operator. */
const NEARLY_FULL = 0.9
/** With fewer copies, a partition does not survive the loss of a broker. */
const SAFE_COPIES = 3

const LOG_VARIABLES = ['ROLE', 'BITCOIN_NETWORK', 'ORDER_PARTITIONS'] as const

/** The log, the views and the history, as configured. */
export const storeChecks = (config: Config): Check[] => [
  config.KAFKA_BROKERS ? kafkaCheck(config, config.KAFKA_BROKERS) : embeddedCheck(config),
  ...(usesRedis(config) ? [redisCheck(config)] : []),
  ...historyChecks(config),
]

/** A history that a service opens in DATA_DIR is checked with its store. */
function historyChecks(config: Config): Check[] {
  if (config.CLICKHOUSE_URL) return [clickHouseCheck(config, config.CLICKHOUSE_URL)]
  return config.KAFKA_BROKERS ? [chdbCheck(config)] : []
}

function kafkaCheck(config: Config, brokers: readonly string[]): Check {
  const cure = `start the brokers at ${brokers.join(', ')}, or set KAFKA_BROKERS (KAFKA_TLS, KAFKA_SASL_*) to match them`
  return {
    name: 'kafka',
    needs: [...LOG_VARIABLES, ...variablesOf('KAFKA_')],
    cure,
    look: async () => {
      const settings = { ...kafkaSettings(config, systemClock), brokers, onLog: () => {} }
      const facts = await examineKafka(settings).catch(refusalOf)
      if ('status' in facts) return [facts]
      const { copies, underReplicated } = facts
      const findings = [ok(`brokers: ${facts.brokers.join(', ')}`)]
      // A settings record and the topics may report the same problem with the partitions.
      findings.push(...facts.problems.map(refused))
      findings.push(...facts.slow.map(slow))
      if (facts.isEmpty && facts.problems.length === 0) {
        findings.push(ok('the topics do not exist yet: the service creates them'))
      } else if (facts.problems.length === 0) {
        findings.push(ok(`topics: ${config.ORDER_PARTITIONS} partitions, settings correct`))
        if (copies.least < SAFE_COPIES) {
          findings.push(
            warn(
              `topics have a replication factor of ${copies.least}: losing a broker can lose records`,
              `run at least ${SAFE_COPIES} brokers with default.replication.factor=${SAFE_COPIES}, and reassign the topics`,
            ),
          )
        }
        if (facts.actors === 0) {
          findings.push(
            warn(
              'no process consumes the inbox: orders are not processed',
              'start a process with ROLE=actors',
            ),
          )
        } else findings.push(ok(`${facts.actors} processes consume the inbox`))
      }
      if (underReplicated.length > 0) {
        findings.push(
          warn(
            `under-replicated partitions: ${underReplicated.slice(0, 5).join(', ')}`,
            'check that every broker is running',
          ),
        )
      }
      return findings
    },
  }
}

/** What starting the brokers would not mend. */
function refusalOf(error: unknown): Finding {
  if (isKafkaRefusal(error)) return refused(error.message)
  throw error
}

function slow(problem: string): Finding {
  const { what, cure } = refused(problem)
  return warn(`${what}: a takeover reads more than necessary`, cure)
}

const embeddedCheck = (config: Config): Check => ({
  name: 'store',
  needs: [...LOG_VARIABLES, 'KAFKA_BROKERS', 'DATA_DIR', 'LMDB_MAP_GIB'],
  cure: `check that ${storeDirectory(config)} is on a working disk`,
  look: async () => {
    await using context = operatorContext(config, 'doctor')
    const local = new LocalStore(context)
    if (local.isNew) return [ok(`${local.directory} does not exist yet: the service creates it`)]
    try {
      const { log } = await openLog(context, local, { mustExist: true })
      const store = ok(`${local.directory}: ${log.partitions} partitions, not open in any service`)
      return config.CLICKHOUSE_URL ? [store] : [store, await chdbFinding(config)]
    } catch (error) {
      if (error instanceof StorageUnavailableError && error.reason === 'in-use') {
        return [ok(`${error.message.split(':')[0]}: the service is running`)]
      }
      if (error instanceof PartitionsChangedError || error instanceof StoreLayoutError) {
        return [refused(error.message)]
      }
      throw error
    }
  },
})

const redisCheck = (config: Config & RedisConfig): Check => ({
  name: 'redis',
  needs: [...LOG_VARIABLES, ...variablesOf('REDIS_')],
  cure: `start ${redisPlace(config)}, or set REDIS_URL to its address`,
  look: async () => {
    const { REDIS_PREFIX: prefix, BITCOIN_NETWORK: network, ORDER_PARTITIONS: partitions } = config
    try {
      const uses = redisUsesOf(needsOfCommand('doctor', config.ROLE))
      const address = redisAddressOf(config)
      const facts = await examineRedis({ ...address, prefix, network, partitions, uses })
      const { usedBytes, limitBytes } = facts.memory
      const views = facts.isMade
        ? 'views of this release'
        : 'no views yet: the service builds them from the log'
      const cluster = facts.servers > 1 ? `, a cluster of ${facts.servers} servers` : ''
      const findings = [ok(`${facts.version}${cluster}, no eviction, ${views}`)]
      if (limitBytes > 0 && usedBytes > limitBytes * NEARLY_FULL) {
        findings.push(
          warn(
            `Redis uses ${usedBytes} of at most ${limitBytes} bytes`,
            'raise maxmemory on the server',
          ),
        )
      }
      return [...findings, clockFinding('Redis', facts.aheadMs, 0)]
    } catch (error) {
      if (error instanceof RedisRefusedError) return [refused(error.message)]
      throw error
    }
  },
})

const clickHouseCheck = (config: Config, url: string): Check => ({
  name: 'clickhouse',
  needs: variablesOf('CLICKHOUSE_'),
  cure: `start ClickHouse at ${url}, or set CLICKHOUSE_URL to its address: orders are served meanwhile, and history rows wait in the log`,
  look: async () => {
    const { CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password } = config
    const schema = await historyFinding(config)
    // Without its database there is none that such a user may connect to.
    if (schema.status !== 'ok') return [schema]
    await using closer = new Closer()
    const database = config.CLICKHOUSE_DATABASE
    const options = { url, user, database, ...(password === undefined ? {} : { password }) }
    const engine = await connectClickHouse(options, 'read')
    closer.add(() => engine.close())
    const asked = Date.now()
    const [row] = await engine.select(
      'SELECT version() AS version, toUnixTimestamp64Milli(now64(3)) AS told',
      {},
    )
    const { version, told } = row as { version: string; told: number }
    const aheadMs = Number(told) - (asked + Date.now()) / 2
    return [ok(`ClickHouse ${version}`), schema, clockFinding('ClickHouse', aheadMs, 0)]
  },
})

const chdbCheck = (config: Config): Check => ({
  name: 'history',
  needs: ['DATA_DIR', 'CLICKHOUSE_URL'],
  cure: 'npm install chdb, or set CLICKHOUSE_URL: everything else works without a history',
  look: async () => [await chdbFinding(config)],
})

async function chdbFinding(config: Config): Promise<Finding> {
  const folder = join(config.DATA_DIR, 'history')
  return existsSync(folder)
    ? await historyFinding(config)
    : ok(`${folder} does not exist yet: the service creates it`)
}

/** An unavailable history stops no order: its rows wait in the log. */
async function historyFinding(config: Config): Promise<Finding> {
  await using context = operatorContext({ ...config, LOG_LEVEL: 'silent' }, 'doctor')
  try {
    const history = await openHistory(context, 'read')
    await history.probe()
    return ok('the history has the schema of this release')
  } catch (error) {
    if (error instanceof HistoryRefusedError) return refused(error.message)
    const message = messageOf(error).split('\n')[0] ?? ''
    const isUnmade = /creates it when it starts/.test(message)
    return isUnmade
      ? warn(message, 'start the service that writes the history (ROLE=all or ROLE=projector)')
      : fail(
          `the history is unavailable: ${message.slice(0, 200)}`,
          config.CLICKHOUSE_URL
            ? 'check that ClickHouse is running and CLICKHOUSE_URL is its address'
            : `if the folder ${join(config.DATA_DIR, 'history')} is damaged, stop the service and delete it: it is refilled from the log`,
        )
  }
}
