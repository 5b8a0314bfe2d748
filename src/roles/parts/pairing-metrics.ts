import { Counter, Gauge, Histogram } from 'prom-client'
import type { PairingMetric } from '../../pairing/pairing-service.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'

/** Seconds: from a check in memory to the longest time-out of the other pipeline. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60]

/** What the pairing pipeline counts; outcomes are `agreed`, `verified` or a cause of a closed list. */
export function pairingMetrics({
  metrics: { registry },
}: Pick<RuntimeContext, 'metrics'>): (metric: PairingMetric) => void {
  const registers = [registry]
  const checks = new Histogram({
    name: 'market_pairing_check_seconds',
    help: 'Agreement checks with the other pipeline, by outcome.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  })
  const reads = new Counter({
    name: 'market_pairing_verified_reads_total',
    help: 'Verified reads, by outcome: verified, or the reason why the answer was withheld.',
    labelNames: ['outcome'],
    registers,
  })
  const divergences = new Counter({
    name: 'market_pairing_divergences_total',
    help: 'Checks that found a divergence of the pipelines, by first differing field.',
    labelNames: ['field'],
    registers,
  })
  const ready = new Gauge({
    name: 'market_pairing_ready',
    help: '1 when all readiness gates pass.',
    registers,
  })
  return (metric) => {
    if (metric.kind === 'checked') checks.observe({ outcome: metric.outcome }, metric.ms / 1_000)
    if (metric.kind === 'read') reads.inc({ outcome: metric.outcome })
    if (metric.kind === 'diverged') divergences.inc({ field: metric.field })
    if (metric.kind === 'readiness') ready.set(metric.snapshot.ready ? 1 : 0)
  }
}
