import { LIMITS, type ScaleUnits, type Workload } from './scale-units.ts'

/** What a year of a workload needs, and by how much it exceeds one machine of each kind. */
export interface Needs {
  inboxRecordsPerS: number
  changesPerS: number
  /** When the year ends: nothing is removed from the views or the snapshots. */
  orders: number
  partitions: number
  workers: number
  redisBytes: number
  gatewayBytes: number
  kafka: { inbox: number; lifecycle: number; snapshots: number }
  clickhouseBytes: number
  shares: Readonly<Record<Resource, number>>
  /** The resource whose share is the largest. */
  first: Resource
}

export type Resource =
  | 'memory of Redis'
  | 'thread of Redis'
  | 'memory of a gateway'
  | 'projector'
  | 'actors worker'
  | 'disk of a worker'
  | 'disk of Kafka'
  | 'disk of ClickHouse'
  | 'folds of blocks'

const DAYS_A_YEAR = 365
const DAY_S = 86_400
const INBOX_DAYS = 7
/** After a change, each 2 s. */
const WATERMARKS_A_DAY = DAY_S / 2
/** ORDER_PARTITIONS by default. */
const LEAST_PARTITIONS = 16
/** The longest that a partition's orders wait for a worker with an empty disk. */
export const RESTORED_WITHIN_MS = 30_000
/** In the mempool, and in its block. */
const TOLD_TWICE = 2

export function needsOf(work: Workload, units: ScaleUnits): Needs {
  const records = work.inputsOfTransaction + work.outputsOfTransaction
  const inboxRecordsPerS = work.transactionsPerS * records * TOLD_TWICE
  const orders = work.liveOrders + work.ordersADay * DAYS_A_YEAR
  const changesADay = work.ordersADay * (units.changesOfOrder + work.laterChangesOfOrder)
  const changesPerS = changesADay / DAY_S
  const workerShare =
    (inboxRecordsPerS * units.workerMsOfRecord +
      (work.ordersADay / DAY_S) * units.workerMsOfOrder) /
    1_000 /
    LIMITS.busy
  const workers = Math.max(2, Math.ceil(workerShare))
  const partitions = powerOfTwo(
    Math.max(LEAST_PARTITIONS, workers, (orders * units.restoreMsOfSnapshot) / RESTORED_WITHIN_MS),
  )
  const transactionsADay = work.transactionsPerS * DAY_S
  const inboxADay =
    transactionsADay * records * (units.kafkaBytesOfPushedRecord + units.kafkaBytesOfBlockRecord) +
    WATERMARKS_A_DAY * partitions * units.kafkaBytesOfWatermark +
    work.ordersADay * units.commandsAndEvidenceOfOrder * units.kafkaBytesOfCommandOrEvidence
  const kafka = {
    inbox: inboxADay * INBOX_DAYS,
    lifecycle:
      DAYS_A_YEAR *
      (changesADay * units.kafkaBytesOfChange + work.ordersADay * units.kafkaBytesOfOutcome),
    snapshots: orders * units.kafkaBytesOfSnapshot,
  }
  const redisBytes = orders * units.redisBytesOfOrder
  const gatewayBytes = orders * units.gatewayBytesOfOrder
  const clickhouseBytes = changesADay * DAYS_A_YEAR * units.clickhouseBytesOfChange
  const redisMsPerS = changesPerS * units.redisMsOfChange + work.pagesPerS * units.redisMsOfPage
  const foldMsADay = work.blockMegabytes * work.blocksADay * units.foldMsOfMegabyte
  const shares = {
    'memory of Redis': redisBytes / LIMITS.redisBytes,
    'thread of Redis': redisMsPerS / 1_000 / LIMITS.busy,
    'memory of a gateway': gatewayBytes / LIMITS.gatewayBytes,
    projector: changesPerS / units.projectorChangesPerS / LIMITS.busy,
    'actors worker': workerShare,
    'disk of a worker': (orders * units.diskBytesOfSnapshot) / workers / LIMITS.workerDiskBytes,
    'disk of Kafka': (kafka.inbox + kafka.lifecycle + kafka.snapshots) / LIMITS.brokerBytes,
    'disk of ClickHouse': clickhouseBytes / LIMITS.clickhouseBytes,
    'folds of blocks': foldMsADay / (DAY_S * 1_000) / LIMITS.busy,
  }
  const [[first]] = Object.entries(shares).sort(([, a], [, b]) => b - a) as [[Resource, number]]
  return {
    ...{ inboxRecordsPerS, changesPerS, orders, partitions, workers },
    ...{ redisBytes, gatewayBytes, kafka, clickhouseBytes, shares, first },
  }
}

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least))
