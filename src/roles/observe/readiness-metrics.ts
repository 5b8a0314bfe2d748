import { Gauge } from 'prom-client'
import type { Readiness } from '../../http/routes/probes.ts'
import { lastAnswer } from './last-answer.ts'
import type { Metrics } from './metrics.ts'

/** What `/readyz` answers, for alerts: at the scrape before. Reasons are without their details. */
export function meterReadiness(
  { registry }: Pick<Metrics, 'registry'>,
  readiness: () => Promise<Readiness>,
): void {
  const labelNames = ['reason'] as const
  const degraded = new Gauge({
    name: 'market_degraded',
    help: '1 for each part that is unavailable and that this process can work without.',
    labelNames,
    registers: [registry],
  })
  const read = lastAnswer(readiness)
  new Gauge({
    name: 'market_ready',
    help: '1 if the process should get traffic; else 0 for each reason why not.',
    labelNames,
    registers: [registry],
    collect() {
      const observed = read()
      this.reset()
      degraded.reset()
      if (!observed) return
      for (const reason of codesOf(observed.degraded)) degraded.set({ reason }, 1)
      const missing = codesOf(observed.missing)
      if (missing.size === 0) this.set({ reason: 'none' }, 1)
      for (const reason of missing) this.set({ reason }, 0)
    },
  })
}

/** Whether verified answers can be given, as a scrape before this one found it. */
export function meterPairingReadiness(
  { registry }: Pick<Metrics, 'registry'>,
  readiness: () => Promise<{ ready: boolean }>,
): void {
  const read = lastAnswer(readiness)
  new Gauge({
    name: 'market_pairing_ready',
    help: '1 when all readiness gates pass.',
    registers: [registry],
    collect() {
      this.set(read()?.ready ? 1 : 0)
    },
  })
}

const codesOf = (reasons: readonly string[]): Set<string> =>
  new Set(reasons.map((reason) => reason.split(':', 1)[0] ?? reason))
