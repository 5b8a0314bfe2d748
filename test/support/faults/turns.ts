import { setTimeout as delay } from 'node:timers/promises'
import { metricOf } from '../http/metric.ts'
import type { RoleProcess } from '../services/stack.ts'

const POLL_MS = 100
const PATIENCE_MS = 60_000

/** Does this ingest follow the chain? Otherwise it waits. */
export const isWriting = async (ingest: RoleProcess): Promise<boolean> =>
  (await metricOf(ingest.metricsAddress, 'market_ingest_writes')) === 1

/** From now until this ingest has written a watermark that covers the chain, milliseconds. */
export async function untilItCovers(ingest: RoleProcess): Promise<number> {
  const begun = performance.now()
  const covering = 'market_ingest_watermarks_total{covers="true"}'
  while (((await metricOf(ingest.metricsAddress, covering)) ?? 0) === 0) {
    if (performance.now() - begun > PATIENCE_MS) throw new Error(`${ingest.name} covers nothing`)
    await delay(POLL_MS)
  }
  return performance.now() - begun
}
