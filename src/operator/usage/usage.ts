import { existsSync } from 'node:fs'
import { tableOfTopic } from '../../adapters/embedded/log/log-tables.ts'
import { TAIL_TABLE } from '../../adapters/embedded/log/log-tail.ts'
import { CLEAN_UP, type CleanUp } from '../../adapters/log/clean-up.ts'
import { redisSizes } from '../../adapters/redis/sizes.ts'
import type { PartitionSize, TableSize, TopicSize } from '../../ports/log/sizes.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import { openHistoryToAsk } from '../../roles/open/open-history.ts'
import { redisAddressOf, usesRedis } from '../../roles/open/redis-address.ts'
import type { Config } from '../../schemas/config/config.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import { type ExistingLog, withExistingLog } from '../log/open-existing.ts'

export interface TopicUsage {
  topic: string
  /** How its records are cleaned up; null: one of the driver's own topics. */
  cleanUp: CleanUp | null
  records: number
  bytes: number
  bytesPerRecord: number | null
  /** When the oldest record was appended. */
  since: string | null
  growth: Growth | null
  partitions: PartitionSize[]
}

/** The write rate, measured over the last day or over the whole topic if that is shorter. */
export interface Growth {
  overHours: number
  bytesPerDay: number
  /**
   * Growth in thirty days at this rate: less once records are deleted by age; an upper bound if
   * only the last record of a key is kept, because writes may have replaced others.
   */
  monthBytes: number
}

export interface StoreUsage {
  name: string
  bytes: number
  tables: TableSize[]
}

export interface HistoryUsage extends StoreUsage {
  /** Growth of its order tables with the lifecycle; null: the lifecycle has no rate. */
  monthBytes: number | null
}

export interface Usage {
  at: string
  topics: TopicUsage[]
  stores: StoreUsage[]
  /** Null if it is unavailable. */
  history: HistoryUsage | null
  /** What was not counted, and why. */
  notes: string[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MONTH_DAYS = 30
/** Below this time span no rate is given. */
const LEAST_MS = HOUR_MS

/**
 * The service's stored data, by topic, table and key family.
 *
 * @throws as `withExistingLog`
 */
export const usage = (config: Config): Promise<Usage> =>
  withExistingLog(config, 'usage', async (kept) => {
    const now = kept.context.clock.now()
    const topics = (await kept.sizes(now - DAY_MS)).map((size) => topicUsage(size, now))
    const notes: string[] = []
    const stores = [...(await localStore(kept, notes)), ...(await redisStore(config, notes))]
    const history = await historyStore(kept, notes)
    return {
      at: new Date(now).toISOString(),
      ...{ topics, stores, history: history && historyUsage(history, topics), notes },
    }
  })

export function topicUsage({ topic, partitions }: TopicSize, now: number): TopicUsage {
  const sum = (of: (one: PartitionSize) => number) =>
    partitions.reduce((total, one) => total + of(one), 0)
  const cleanUp = isTopic(topic) ? CLEAN_UP[topic] : null
  const records = sum((one) => one.records)
  const bytes = sum((one) => one.bytes)
  const oldestAt = partitions.reduce<number | null>(
    (oldest, one) => (one.oldestAt === null ? oldest : Math.min(oldest ?? now, one.oldestAt)),
    null,
  )
  const recent = sum((one) => one.bytesSince)
  return {
    topic,
    cleanUp,
    records,
    bytes,
    bytesPerRecord: records > 0 ? Math.round(bytes / records) : null,
    since: oldestAt === null ? null : new Date(oldestAt).toISOString(),
    growth: oldestAt === null ? null : growthOf({ cleanUp, recent, reachMs: now - oldestAt }),
    partitions,
  }
}

const isTopic = (name: string): name is Topic => Object.values<string>(TOPICS).includes(name)

function growthOf({
  cleanUp,
  recent,
  reachMs,
}: {
  cleanUp: CleanUp | null
  recent: number
  reachMs: number
}): Growth | null {
  const overMs = Math.min(reachMs, DAY_MS)
  if (overMs < LEAST_MS) return null
  const bytesPerDay = Math.round((recent / overMs) * DAY_MS)
  const reachDays = reachMs / DAY_MS
  const keptDays = cleanUp?.policy === 'delete' ? cleanUp.afterMs / DAY_MS : Infinity
  const moreDays = Math.max(0, Math.min(reachDays + MONTH_DAYS, keptDays) - reachDays)
  return {
    overHours: Math.round((overMs / HOUR_MS) * 10) / 10,
    bytesPerDay,
    monthBytes: Math.round(bytesPerDay * moreDays),
  }
}

const storeOf = (name: string, tables: TableSize[]): StoreUsage => ({
  name,
  bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
  tables,
})

/** The tables of DATA_DIR, except the tables of the log, which are listed as topics. */
async function localStore({ context, local }: ExistingLog, notes: string[]): Promise<StoreUsage[]> {
  if (!existsSync(local.directory)) return []
  try {
    const { door } = context
    const sizes = door ? await door.ask('tableSizes') : (await local.open()).sizes()
    const counted = new Set([TAIL_TABLE, ...Object.values(TOPICS).map(tableOfTopic)])
    const tables = sizes.filter(({ name, entries }) => !counted.has(name) && entries > 0)
    return [storeOf(`lmdb in ${local.directory}`, tables)]
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error
    notes.push(`the tables of DATA_DIR are not counted: ${error.message}`)
    return []
  }
}

async function redisStore(config: Config, notes: string[]): Promise<StoreUsage[]> {
  if (!usesRedis(config)) return []
  try {
    const sizes = await redisSizes({ ...redisAddressOf(config), prefix: config.REDIS_PREFIX })
    if (sizes.isPart) notes.push('Redis has more keys than were scanned: the total is higher')
    notes.push(`the Redis server uses ${sizes.serverBytes} bytes in total`)
    return [storeOf(`Redis keys below ${config.REDIS_PREFIX}`, sizes.families)]
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error
    notes.push(`the keys of Redis are not counted: ${error.message}`)
    return []
  }
}

async function historyStore({ context }: ExistingLog, notes: string[]): Promise<StoreUsage | null> {
  try {
    const history = await openHistoryToAsk(context, 'read')
    const { CLICKHOUSE_URL } = context.config
    return storeOf(CLICKHOUSE_URL ? 'ClickHouse' : 'chDB', await history.sizes())
  } catch (error) {
    if (!(error instanceof HistoryUnavailableError)) throw error
    notes.push(`the history is not counted: ${error.message}`)
    return null
  }
}

/** Order rows grow with the lifecycle; pairing rows grow with the chain, and are not estimated. */
export function historyUsage(history: StoreUsage, topics: readonly TopicUsage[]): HistoryUsage {
  const lifecycle = topics.find(({ topic }) => topic === TOPICS.lifecycle)
  const growth = lifecycle?.growth
  if (!growth || lifecycle.bytes === 0) return { ...history, monthBytes: null }
  const ofOrders = history.tables
    .filter(({ name }) => !name.startsWith('pairing_'))
    .reduce((sum, { bytes }) => sum + bytes, 0)
  const monthBytes = Math.round((ofOrders / lifecycle.bytes) * growth.monthBytes)
  return { ...history, monthBytes }
}
