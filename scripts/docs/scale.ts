import { sizeText } from '../../src/operator/usage/usage-table.ts'
import { type Ceiling, FLEET, importCeilings, orderCeilings } from './scale-fleet.ts'
import { type Needs, needsOf, type Resource } from './scale-needs.ts'
import { LIMITS, MEASURED, type ScaleUnits, WORKLOADS, type Workload } from './scale-units.ts'

const INTRODUCTION = `# Scale

What mainnet needs today, with a hundred times the orders and pages, and with a hundred times the transactions too, which Bitcoin's
rules do not allow: computed from measured units and the stated workload by \`scripts/docs/scale-needs.ts\`. Nothing here was run at
that size, other than what [performance](performance.md) says. Replace the workload in \`scripts/docs/scale-units.ts\` by your own
and run \`npm run docs\`; \`market usage\` prints what a running service actually stores, and its growth per month.
`

/** What an operator does when a resource is the first that exceeds one machine. */
const REMEDIES: Readonly<Record<Resource, string>> = {
  'memory of Redis':
    'a machine with more memory: orders that are closed stay in the views, which are on one server, also of a cluster',
  'thread of Redis':
    'a faster core: all gateways read from one server, whose commands run on one thread. Beyond that this design has no answer yet',
  'memory of a gateway': 'more memory for each gateway: all lists are found in it',
  projector:
    'nothing: one projector writes the views of all partitions. Its limit is the thread of Redis',
  'actors worker': 'more replicas of `actors`, up to ORDER_PARTITIONS',
  'disk of a worker': 'more replicas of `actors`, or larger volumes: a copy is rebuilt from Kafka',
  'disk of Kafka':
    'more brokers, with the partitions divided among them; the lifecycle is never deleted, so plan for years, and for each replica',
  'disk of ClickHouse':
    'a larger volume; the history can be dropped and is filled again from the lifecycle',
  'folds of blocks': 'pairing and circles as roles of their own, each with a core',
}

const WORK: readonly [what: string, of: (work: Workload) => string][] = [
  ['transactions a second', ({ transactionsPerS }) => count(transactionsPerS)],
  [
    'inputs and outputs of each',
    (work) => `${work.inputsOfTransaction} and ${work.outputsOfTransaction}`,
  ],
  ['a block', ({ blockMegabytes }) => `${count(blockMegabytes)} MB`],
  ['LIVE orders when the year begins', ({ liveOrders }) => count(liveOrders)],
  ['orders proved a day', ({ ordersADay }) => count(ordersADay)],
  ['pages read a second', ({ pagesPerS }) => count(pagesPerS)],
]

const NEEDS: readonly [what: string, of: (needs: Needs) => string][] = [
  ['records of the inbox a second', ({ inboxRecordsPerS }) => count(inboxRecordsPerS)],
  ['changes of orders a second', ({ changesPerS }) => count(changesPerS)],
  ['orders at the end of the year', ({ orders }) => count(orders)],
  ['partitions (fixed when the log is made)', ({ partitions }) => partitions.toLocaleString('en')],
  ['actors workers, two at least', ({ workers }) => workers.toLocaleString('en')],
  ['memory of Redis at the end of the year', ({ redisBytes }) => sizeText(redisBytes)],
  ['memory of a gateway for it', ({ gatewayBytes }) => sizeText(gatewayBytes)],
  ['Kafka, inbox, seven days kept', ({ kafka }) => sizeText(kafka.inbox)],
  ['Kafka, lifecycle of a year, kept for ever', ({ kafka }) => sizeText(kafka.lifecycle)],
  ['Kafka, snapshots, at the end of the year', ({ kafka }) => sizeText(kafka.snapshots)],
  ['ClickHouse of a year', ({ clickhouseBytes }) => sizeText(clickhouseBytes)],
  ['first bottleneck', ({ first, shares }) => `${first}, ${percent(shares[first])}`],
]

const UNITS: Readonly<Record<keyof ScaleUnits, string>> = {
  kafkaBytesOfBlockRecord: 'Kafka, a record of the inbox in a block',
  kafkaBytesOfPushedRecord: 'Kafka, a record of the inbox in what a second pushes',
  kafkaBytesOfWatermark: 'Kafka, a watermark, to one partition',
  kafkaBytesOfChange: 'Kafka, a change of an order',
  kafkaBytesOfOutcome: 'Kafka, an outcome of a command',
  kafkaBytesOfCommandOrEvidence: 'Kafka, a command or an answer of the authorities',
  kafkaBytesOfSnapshot: 'Kafka, a snapshot of an order',
  changesOfOrder: 'changes of an order until it is LIVE',
  commandsAndEvidenceOfOrder:
    'commands and answers for it, where its partition asks: one where a gateway’s evidence is taken',
  clickhouseBytesOfChange: 'ClickHouse, a change, in all tables',
  redisBytesOfOrder: 'Redis, an order in the views',
  gatewayBytesOfOrder: 'memory of a gateway, an order in its index',
  diskBytesOfSnapshot: 'disk of an actors worker, an order',
  workerMsOfRecord:
    'processor of an actors worker, a record of the inbox, of which one in 100 concerns an order, ms',
  workerMsOfOrder: 'processor of an actors worker, an order until it is LIVE, ms',
  gatewayMsOfImport: 'processor of all other roles for an import on Kafka, ms',
  partitionImportsPerS: 'imports with evidence that one partition on Kafka commits a second',
  restoreMsOfSnapshot: 'processor, a snapshot read by a worker with an empty disk, ms',
  redisMsOfChange: 'thread of Redis, a change put into the views, ms',
  redisMsOfPage: 'thread of Redis, a page of 50, ms',
  projectorChangesPerS: 'changes that one projector writes a second',
  foldMsOfMegabyte: 'pairing and circles, a raw MB of blocks, ms',
}

const ceilingsTable = (ceilings: readonly Ceiling[], unit: string): string =>
  tableOf(
    ['what ends it', unit],
    ceilings.map(({ what, allows }) => [what, count(allows)]),
  )

/** The page is this computation: a test compares them. */
export function scalePage(): string {
  const needs = WORKLOADS.map((work) => needsOf(work, MEASURED))
  const heading = ['', ...WORKLOADS.map(({ name }) => name)]
  const resources = Object.keys(REMEDIES) as Resource[]
  const within = sizeText(LIMITS.redisBytes)
  return [
    INTRODUCTION,
    '## Workload\n',
    tableOf(
      heading,
      WORK.map(([what, of]) => [what, ...WORKLOADS.map(of)]),
    ),
    `Each order has ${WORKLOADS[0]?.laterChangesOfOrder} changes after it became LIVE.\n`,
    '## What it needs\n',
    tableOf(
      heading,
      NEEDS.map(([what, of]) => [what, ...needs.map(of)]),
    ),
    'Bytes of Kafka are of one replica: three are usual. Partitions are as many as let a worker with an empty disk serve all orders of',
    'a partition within 30 s, and 16 at least.\n',
    '## Bottlenecks\n',
    `How much of one machine each needs: ${within} of memory for Redis, ${sizeText(LIMITS.gatewayBytes)} for a gateway, ${sizeText(LIMITS.brokerBytes)} of disk for Kafka and as much for`,
    `ClickHouse, ${sizeText(LIMITS.workerDiskBytes)} for a worker, and a core or thread that is busy ${percent(LIMITS.busy)} of the time.`,
    'Above 100 %, what the last column says.\n',
    tableOf(
      ['resource', ...WORKLOADS.map(({ name }) => name), 'what an operator does'],
      resources.map((resource) => [
        resource,
        ...needs.map(({ shares }) => percent(shares[resource])),
        REMEDIES[resource],
      ]),
    ),
    `## Four gateways and four workers\n`,
    `A core each, busy ${percent(LIMITS.busy)} of the time, with ${FLEET.partitions} partitions; Redis, the projector and ingest as above. The first row is what ends it.\n`,
    ceilingsTable(importCeilings(MEASURED), 'imports a second'),
    ceilingsTable(orderCeilings(MEASURED), 'orders, open and closed'),
    '## Units\n',
    '`npm run bench -- units` measures those of Kafka and of ClickHouse (on chDB); `npm run bench -- redis`, `-- actors`, `-- orders` and',
    '`-- commits`, lines 3 and 6, and `npm run rehearse:mainnet` the others. Bytes where nothing else is said.\n',
    tableOf(
      ['unit', 'measured'],
      (Object.keys(UNITS) as (keyof ScaleUnits)[]).map((unit) => [
        UNITS[unit],
        count(MEASURED[unit]),
      ]),
    ).trimEnd(),
    '',
  ].join('\n')
}

function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return `${[line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}

const count = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

const percent = (share: number): string =>
  `${(share * 100).toLocaleString('en', { maximumSignificantDigits: 2 })} %`
