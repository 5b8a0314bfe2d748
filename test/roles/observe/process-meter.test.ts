import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { ProcessMeter } from '../../../src/roles/observe/process-meter.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const GIB = 2 ** 30
const HOUR_MS = 3_600_000

function metered() {
  const registry = new Registry()
  const registers = [registry]
  const clock = new ManualClock()
  const answers = new Histogram({
    ...{ name: 'market_http_request_seconds', help: 'h', registers },
    labelNames: ['route', 'method', 'status'],
  })
  const lines = new Counter({
    ...{ name: 'market_customer_lines_total', help: 'h', registers },
    labelNames: ['tier', 'result'],
  })
  const answer = (route: string, status: string, count: number) => {
    for (let n = 0; n < count; n += 1) answers.observe({ route, method: 'POST', status }, 0.1)
  }
  const disk = () => {
    const gauge = (name: string) => new Gauge({ name, help: 'h', registers })
    const free = gauge('market_disk_free_bytes')
    gauge('market_disk_size_bytes').set(50 * GIB)
    gauge('market_store_bytes').set(GIB)
    return free
  }
  return { clock, answer, lines, disk, meter: new ProcessMeter({ registry, clock, role: 'all' }) }
}

/** Lets the meter look around as often as it does in this time. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  await looked()
  for (let passed = 0; passed < ms; passed += 15_000) {
    clock.advance(15_000)
    await looked()
  }
}

/** Each look waits for some metrics, and for nothing outside the process. */
async function looked(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
}

test('rates are of the last minute alone, and imports are those that gave an order', async () => {
  const { clock, answer, lines, meter } = metered()
  const stop = new AbortController()
  const running = meter.run(stop.signal)
  await looked()
  answer('/api/market/orders', '200', 9_000)
  await pass(clock, 120_000)
  answer('/api/market/orders/import', '201', 6)
  answer('/api/market/orders/import', '400', 12)
  lines.inc({ tier: 'maker', result: 'taken' }, 24)
  lines.inc({ tier: 'maker', result: 'refused' }, 99)
  const { requestsPerSecond, importsPerSecond, uptimeSeconds, role, disk } = await meter.read()
  expect([role, uptimeSeconds, disk]).toEqual(['all', 120, null])
  expect(requestsPerSecond).toBeCloseTo(18 / 60)
  expect(importsPerSecond).toBeCloseTo(30 / 60)
  stop.abort()
  await running
})

test('nothing is said of rates before the first look', async () => {
  const { meter } = metered()
  expect(await meter.read()).toMatchObject({ requestsPerSecond: null, importsPerSecond: null })
})

test('the days that the disk lasts are known after an hour, by how it filled since', async () => {
  const { clock, disk, meter } = metered()
  const free = disk()
  free.set(30 * GIB)
  const stop = new AbortController()
  const running = meter.run(stop.signal)
  await pass(clock, HOUR_MS / 2)
  free.set(29.5 * GIB)
  const sizes = { sizeBytes: 50 * GIB, storeBytes: GIB }
  expect((await meter.read()).disk).toEqual({
    ...{ ...sizes, freeBytes: 29.5 * GIB, bytesPerDay: null, daysLeft: null },
  })
  await pass(clock, HOUR_MS / 2)
  free.set(29 * GIB)
  expect((await meter.read()).disk).toMatchObject({ bytesPerDay: 24 * GIB, daysLeft: 1 })
  free.set(31 * GIB)
  expect((await meter.read()).disk).toMatchObject({ daysLeft: null })
  stop.abort()
  await running
})
