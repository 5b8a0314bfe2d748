import { fileURLToPath } from 'node:url'
import { readResults } from '../../bench/harness/results.ts'
import { quantile } from '../../bench/harness/table.ts'

/**
 * The measured cost of one thing: docs/scale.md multiplies it. Bytes of Kafka are compressed and of
 * one replica.
 */
export interface ScaleUnits {
  /** A record of the inbox: in a block, and in what is pushed within a second. */
  kafkaBytesOfBlockRecord: number
  kafkaBytesOfPushedRecord: number
  /** To one partition. */
  kafkaBytesOfWatermark: number
  kafkaBytesOfChange: number
  kafkaBytesOfOutcome: number
  kafkaBytesOfCommandOrEvidence: number
  kafkaBytesOfSnapshot: number
  /** From the import until it is LIVE. */
  changesOfOrder: number
  commandsAndEvidenceOfOrder: number
  /** In all tables. */
  clickhouseBytesOfChange: number
  redisBytesOfOrder: number
  /** In the query index of each gateway. */
  gatewayBytesOfOrder: number
  /** In an actors worker's DATA_DIR. */
  diskBytesOfSnapshot: number
  /**
   * Processor time of an actors worker: a record of the inbox, of which one in 100 concerns an order; an
   * order until it is LIVE.
   */
  workerMsOfRecord: number
  workerMsOfOrder: number
  /** Processor time of all roles but actors, for an import by HTTP with the log in Kafka. */
  gatewayMsOfImport: number
  /** Imports with evidence that one partition commits a second. */
  partitionImportsPerS: number
  /** Of a snapshot that a worker with an empty disk reads. */
  restoreMsOfSnapshot: number
  /** Of the one thread of Redis. */
  redisMsOfChange: number
  redisMsOfPage: number
  projectorChangesPerS: number
  /** Of a raw MB, in pairing and circles together. */
  foldMsOfMegabyte: number
}

const RESULTS = readResults(fileURLToPath(new URL('../../bench/results.json', import.meta.url)))

/** Processor time of a unit of work of a line of the bench, milliseconds, as last measured. */
function cpuMsOf(number: number, comparison: string): number {
  const { comparisons = [] } = RESULTS.lines.find((line) => line.number === number) ?? {}
  const { rounds = [] } = comparisons.find(({ name }) => name === comparison) ?? {}
  const us = rounds.flatMap(({ ours }) => ours.cpuUs ?? [])
  if (us.length === 0) throw new Error(`line ${number} of the bench has no ${comparison}`)
  return Number((quantile(us, 0.5) / 1_000).toPrecision(3))
}

const WORKER_MS_OF_ORDER = 2

/**
 * `npm run bench -- units`, lines of the bench, and the tables of docs/performance.md: a million orders in
 * Redis, on one worker.
 */
export const MEASURED: ScaleUnits = {
  kafkaBytesOfBlockRecord: 54,
  kafkaBytesOfPushedRecord: 123,
  kafkaBytesOfWatermark: 267,
  kafkaBytesOfChange: 1_540,
  kafkaBytesOfOutcome: 269,
  kafkaBytesOfCommandOrEvidence: 889,
  kafkaBytesOfSnapshot: 1_640,
  changesOfOrder: 2.25,
  commandsAndEvidenceOfOrder: 2.38,
  clickhouseBytesOfChange: 480,
  redisBytesOfOrder: 3_840,
  gatewayBytesOfOrder: 400,
  diskBytesOfSnapshot: 5_900,
  workerMsOfRecord: cpuMsOf(3, ''),
  workerMsOfOrder: WORKER_MS_OF_ORDER,
  gatewayMsOfImport: cpuMsOf(6, 'log in Kafka') - WORKER_MS_OF_ORDER,
  partitionImportsPerS: 450,
  restoreMsOfSnapshot: 0.11,
  redisMsOfChange: 0.039,
  redisMsOfPage: 0.12,
  projectorChangesPerS: 2_690,
  foldMsOfMegabyte: 22,
}

/** The load. */
export interface Workload {
  name: string
  transactionsPerS: number
  inputsOfTransaction: number
  outputsOfTransaction: number
  blockMegabytes: number
  blocksADay: number
  /** LIVE when the year begins, and proved on each day after it. */
  liveOrders: number
  ordersADay: number
  /** A change each: a spend is seen and confirmed, an order is withdrawn or final. */
  laterChangesOfOrder: number
  pagesPerS: number
}

const TODAY: Workload = {
  name: 'today',
  transactionsPerS: 7,
  inputsOfTransaction: 2,
  outputsOfTransaction: 3,
  blockMegabytes: 1.7,
  blocksADay: 144,
  liveOrders: 100_000,
  ordersADay: 5_000,
  laterChangesOfOrder: 3,
  pagesPerS: 20,
}

const HUNDRED_ORDERS: Workload = {
  ...TODAY,
  name: '100 times the orders',
  liveOrders: 100 * TODAY.liveOrders,
  ordersADay: 100 * TODAY.ordersADay,
  pagesPerS: 100 * TODAY.pagesPerS,
}

const HUNDRED_OF_ALL: Workload = {
  ...HUNDRED_ORDERS,
  name: '100 times orders and chain',
  transactionsPerS: 100 * TODAY.transactionsPerS,
  blockMegabytes: 100 * TODAY.blockMegabytes,
}

export const WORKLOADS: readonly Workload[] = [TODAY, HUNDRED_ORDERS, HUNDRED_OF_ALL]

/** What one machine of its kind is assumed to hold, and how long its core may be busy. */
export const LIMITS = {
  redisBytes: 64e9,
  gatewayBytes: 16e9,
  brokerBytes: 2e12,
  clickhouseBytes: 2e12,
  workerDiskBytes: 500e9,
  /** Of a core or a thread: the rest is for bursts, and for catching up after an outage. */
  busy: 0.5,
} as const
