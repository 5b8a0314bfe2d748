import { totalmem } from 'node:os'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { IngestMetric } from '../../streams/ingest/ingest-options.ts'
import { BUILD_INFO } from './build-info.ts'

/** The service's metrics; names and units follow Prometheus, labels are bounded. */
export interface Metrics {
  registry: Registry
  /** The audit sweep found a LIVE order that the authorities contradict: must stay 0. */
  disagreements: Counter
  faults: Counter<'part'>
  /** The history was found to lack rows that it had acknowledged. */
  historyLosses: Counter
  nodeRequests: Counter
  indexRequests: Counter
  ingest(metric: IngestMetric): void
  /** Another process follows the chain from now on, and says how it is. */
  ingestWaits(): void
  /** Reads a size whenever metrics are scraped. */
  watch(name: string, help: string, read: () => number): void
  /** Watches a figure by partition; a partition that `read` leaves out has no value. */
  watchPartitions(name: string, help: string, read: () => Iterable<PartitionFigure>): void
}

export type PartitionFigure = readonly [partition: number, figure: number]

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  exposeBuild(registry)
  exposeMemoryLimit(registry)
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const tip = gauge('market_ingest_tip_height', 'Height of the last block processed by ingest.')
  const lag = gauge(
    'market_ingest_index_lag_blocks',
    'Blocks by which the asset index lags behind the node.',
  )
  const reorgs = counter('market_ingest_reorgs_total', 'Reorganisations processed.')
  const deepest = gauge('market_ingest_reorg_depth_blocks', 'Depth of the last reorganisation.')
  const gaps = counter('market_ingest_gaps_total', 'Gaps in the ZMQ messages of the node.')
  const resyncs = counter(
    'market_ingest_resynchronisations_total',
    'Resynchronisations with a full mempool snapshot.',
  )
  const losses = counter('market_ingest_continuity_losses_total', 'Losses of continuity.')
  const marks = new Counter({
    name: 'market_ingest_watermarks_total',
    help: 'Watermarks written, by whether they cover the chain.',
    labelNames: ['covers'],
    registers,
  })
  return {
    registry,
    disagreements: counter(
      'market_audit_disagreements_total',
      'LIVE orders that the sweep found to disagree with node or index: must stay 0.',
    ),
    historyLosses: counter(
      'market_history_losses_total',
      'Times that the history lacked rows that it had acknowledged; they are written again.',
    ),
    nodeRequests: counter('market_node_requests_total', 'HTTP requests sent to the full node.'),
    indexRequests: counter('market_index_requests_total', 'HTTP requests sent to the asset index.'),
    faults: new Counter({
      name: 'market_faults_total',
      help: 'Errors recovered from, by part.',
      labelNames: ['part'],
      registers,
    }),
    ingest: (metric) => {
      if (metric.kind === 'tip') tip.set(metric.height)
      if (metric.kind === 'index' && metric.lag !== null) lag.set(metric.lag)
      if (metric.kind === 'gap') gaps.inc()
      if (metric.kind === 'resynchronised') resyncs.inc()
      if (metric.kind === 'continuity-lost') losses.inc()
      if (metric.kind === 'watermark') {
        // Both are shown from the first one on: an alert compares the rate of one with 0.
        for (const covers of [true, false])
          marks.inc({ covers: String(covers) }, covers === metric.covers ? 1 : 0)
      }
      if (metric.kind === 'reorg') {
        reorgs.inc()
        deepest.set(metric.depth)
      }
    },
    ingestWaits: () => lag.reset(),
    watch: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    watchPartitions: (name, help, read) => {
      new Gauge({
        name,
        help,
        labelNames: ['partition'],
        registers,
        collect() {
          this.reset()
          for (const [partition, figure] of read()) this.set({ partition: `${partition}` }, figure)
        },
      })
    },
  }
}

/** 1, with the build as labels: joined with other series, it says which release they come from. */
function exposeBuild(registry: Registry): void {
  const build = new Gauge({
    name: 'market_build_info',
    help: 'Version, commit and Node.js of the process: always 1.',
    labelNames: ['version', 'commit', 'node'],
    registers: [registry],
  })
  build.set(BUILD_INFO, 1)
}

/** Without a cgroup that bounds it, the memory of the machine. */
function exposeMemoryLimit(registry: Registry): void {
  const limit = new Gauge({
    name: 'market_memory_limit_bytes',
    help: 'Memory that the process may use.',
    registers: [registry],
  })
  limit.set(Math.min(process.constrainedMemory() || Infinity, totalmem()))
}
