import { describe, expect, test } from 'vitest'
import { evaluate, STEP_MS } from '../support/alerts/prometheus.ts'
import { rules } from '../support/alerts/rules.ts'
import { healthy, type Step, WRITTEN } from '../support/alerts/written-series.ts'

// Faults that a test cannot wait for, as series written by hand, through Prometheus' own engine. Those that
// running roles can have are in test/faults/alerts.test.ts.

/** Steps until a fault begins, ends, and until the series end: longer than any range or `for`. */
const BEGINS = 100
const ENDS = 260
const OVER = 400

/** By how many processes: one for each role, or one that is every role. */
const DEPLOYMENTS: Record<string, (series: Step) => Step> = {
  'a process for each role': (series) => series,
  'one process': (series) =>
    Object.fromEntries(
      Object.entries(series).map(([name, value]) => [
        name.replace(/role="\w+"/, 'role="all"').replace(/pod="[\w-]+"/, 'pod="market"'),
        value,
      ]),
    ),
}

const samplesOf = (deployed: (series: Step) => Step, fault: (step: number) => Step): string[] =>
  Array.from({ length: OVER }, (_, step) => {
    const now = step >= BEGINS && step < ENDS ? fault(step) : {}
    return Object.entries({ ...deployed(healthy(step)), ...deployed(now) })
      .filter(([, value]) => value !== null)
      .map(([series, value]) => `${series} ${value} ${step * STEP_MS}`)
  }).flat()

describe.each(Object.entries(DEPLOYMENTS))('by %s', (_, deployed) => {
  test('nothing fires over a healthy service', async () => {
    expect(await evaluate(samplesOf(deployed, () => ({})))).toEqual([])
  })

  test.each(WRITTEN)('$alert fires while its fault lasts, and rests', async ({ alert, fault }) => {
    const fired = await evaluate(samplesOf(deployed, fault))
    expect([...new Set(fired.map((one) => one.alert))]).toEqual([alert])
    for (const { from, to } of fired) {
      expect(from).toBeGreaterThanOrEqual(BEGINS * STEP_MS)
      expect(to).toBeLessThan((OVER - 1) * STEP_MS)
    }
  })
})

test('one process that is gone is missed as every role', async () => {
  const gone = (step: number): Step =>
    Object.fromEntries(Object.keys(healthy(step)).map((series) => [series, null]))
  const samples = samplesOf(DEPLOYMENTS['one process']!, gone)
  const fired = new Set((await evaluate(samples)).map(({ alert }) => alert))
  for (const { alert } of rules.filter(({ expr }) => expr.startsWith('absent(')))
    expect(fired, alert).toContain(alert)
})

describe('another deployment, well and scraped by the same Prometheus, hides', () => {
  const within = (namespace: string, series: Step): Step =>
    Object.fromEntries(
      Object.entries(series).map(([name, value]) => [
        name.replace('{', `{namespace="${namespace}",`),
        value,
      ]),
    )
  const two = (fault: (step: number) => Step) => [
    ...samplesOf((series) => within('shop', series), fault),
    ...samplesOf(
      (series) => within('staging', series),
      () => ({}),
    ),
  ]
  /** As the overlay of `shop` has them. */
  const own = rules.map((rule) => ({
    ...rule,
    expr: rule.expr.replace('namespace=~".*"', 'namespace=~"shop"'),
  }))

  test.each(['MarketPartitionBehind', 'MarketPartitionUnread'])('no %s', async (alert) => {
    const { fault } = WRITTEN.find((one) => one.alert === alert)!
    const fired = await evaluate(two(fault), own)
    expect(new Set(fired.map((one) => `${one.alert} ${one.labels['namespace']}`))).toEqual(
      new Set([`${alert} shop`]),
    )
  })

  test('nothing that is absent', async () => {
    const gone = (step: number): Step =>
      Object.fromEntries(Object.keys(healthy(step)).map((series) => [series, null]))
    const fired = new Set((await evaluate(two(gone), own)).map(({ alert }) => alert))
    for (const { alert } of rules.filter(({ expr }) => expr.startsWith('absent(')))
      expect(fired, alert).toContain(alert)
  })
})

test('a pipeline alone that falls behind its node is seen without ingest', async () => {
  const alone = (series: Step): Step =>
    Object.fromEntries(Object.entries(series).filter(([name]) => name.includes('role="pairing"')))
  const { fault } = WRITTEN.find(({ alert }) => alert === 'MarketPairingBehind')!
  const ofPairing = rules.filter(({ alert }) => alert.startsWith('MarketPairing'))
  const fired = await evaluate(samplesOf(alone, fault), ofPairing)
  expect(new Set(fired.map(({ alert }) => alert))).toEqual(new Set(['MarketPairingBehind']))
})
