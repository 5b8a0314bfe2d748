import { totalmem } from 'node:os'
import { expect, test } from 'vitest'
import { openMetrics } from '../../../src/roles/observe/metrics.ts'

test('the first watermark shows both series, so that an alert can compare the missing one with 0', async () => {
  const metrics = openMetrics()
  expect(await metrics.registry.metrics()).not.toContain('market_ingest_watermarks_total{')
  metrics.ingest({ kind: 'watermark', covers: false, epoch: 1, n: 1, mempoolSequence: null })
  const text = await metrics.registry.metrics()
  expect(text).toContain('market_ingest_watermarks_total{covers="true"} 0\n')
  expect(text).toContain('market_ingest_watermarks_total{covers="false"} 1\n')
})

test('the memory that a process may use is that of its machine, or less', async () => {
  const { values } = await openMetrics()
    .registry.getSingleMetric('market_memory_limit_bytes')!
    .get()
  expect(values[0]?.value).toBeGreaterThan(2 ** 26)
  expect(values[0]?.value).toBeLessThanOrEqual(totalmem())
})
