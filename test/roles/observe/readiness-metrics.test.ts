import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { meterPairingReadiness } from '../../../src/roles/observe/readiness-metrics.ts'

test('a scrape says whether a pipeline is ready, though no client asks it', async () => {
  const registry = new Registry()
  let ready = false
  let asked = 0
  meterPairingReadiness({ registry }, async () => {
    asked += 1
    return { ready }
  })
  const scraped = async () => {
    const metric = await registry.getSingleMetric('market_pairing_ready')?.get()
    await new Promise((resolve) => setImmediate(resolve))
    return metric?.values[0]?.value
  }
  expect(await scraped()).toBe(0)
  ready = true
  await scraped()
  expect(await scraped()).toBe(1)
  ready = false
  await scraped()
  expect(await scraped()).toBe(0)
  expect(asked).toBeGreaterThanOrEqual(5)
})
