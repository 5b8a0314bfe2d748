import { expect, test } from 'vitest'
import { evaluate, STEP_MS } from '../support/alerts/prometheus.ts'
import { healthy, type Step, WRITTEN } from '../support/alerts/written-series.ts'

// Faults that a test cannot wait for, as series written by hand, through Prometheus' own engine. Those that
// running roles can have are in test/faults/alerts.test.ts.

/** Steps until a fault begins, ends, and until the series end: longer than any range or `for`. */
const BEGINS = 100
const ENDS = 260
const OVER = 400

const samplesOf = (fault: (step: number) => Step): string[] =>
  Array.from({ length: OVER }, (_, step) => {
    const now = step >= BEGINS && step < ENDS ? fault(step) : {}
    return Object.entries({ ...healthy(step), ...now })
      .filter(([, value]) => value !== null)
      .map(([series, value]) => `${series} ${value} ${step * STEP_MS}`)
  }).flat()

test('nothing fires over a healthy service', async () => {
  expect(await evaluate(samplesOf(() => ({})))).toEqual([])
})

test.each(WRITTEN)('$alert fires while its fault lasts, and rests', async ({ alert, fault }) => {
  const fired = await evaluate(samplesOf(fault))
  expect([...new Set(fired.map((one) => one.alert))]).toEqual([alert])
  for (const { from, to } of fired) {
    expect(from).toBeGreaterThanOrEqual(BEGINS * STEP_MS)
    expect(to).toBeLessThan((OVER - 1) * STEP_MS)
  }
})
