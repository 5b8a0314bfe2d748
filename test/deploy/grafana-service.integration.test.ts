import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'

// The board of the service asks for metrics that a running service has, by labels that they have.

const Target = z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() })
const Panel = z.object({ id: z.int(), title: z.string(), targets: z.array(Target).min(1) })
const { panels } = z
  .object({ panels: z.array(Panel) })
  .parse(JSON.parse(readFileSync('deploy/grafana/market-service.json', 'utf8')))
const targets = panels.flatMap(({ title, targets: all }) =>
  all.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
)
const METRIC = /\b(?:market|process|nodejs)_\w+/g
/** Given by Prometheus to every series. */
const OF_SCRAPE = ['instance']

let market: Market
let page: string
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  await fetch(`${market.address}/api/market/orders`)
  page = await (await fetch(`${market.metricsAddress}/metrics`)).text()
}, 120_000)
afterAll(() => market.end())

const typeOf = (metric: string): string | undefined =>
  new RegExp(`^# TYPE ${metric} (\\w+)$`, 'm').exec(page)?.[1]
/** A histogram is asked for by what it consists of. */
const isServed = (metric: string): boolean =>
  typeOf(metric) !== undefined ||
  typeOf(metric.replace(/_(?:bucket|count|sum)$/, '')) === 'histogram'

test('each metric is one of a running service', () => {
  const metrics = new Set(targets.flatMap(({ expr }) => expr.match(METRIC) ?? []))
  expect(metrics.size).toBeGreaterThan(30)
  expect([...metrics].filter((metric) => !isServed(metric))).toEqual([])
})

test.each(targets)('$title: $legendFormat names labels that the series has', (target) => {
  const { expr, legendFormat } = target
  const by = [...expr.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '))
  const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)
  const isSummed = /\b(?:sum|max|min|count)\b/.test(expr)
  expect(named.filter((name) => isSummed && !by.includes(name ?? ''))).toEqual([])
  // A metric without a sample yet says nothing of its labels.
  const samples = (expr.match(METRIC) ?? []).flatMap((metric) =>
    page.split('\n').filter((line) => line.startsWith(`${metric}{`)),
  )
  for (const label of new Set([...by, ...named])) {
    if (samples.length === 0 || OF_SCRAPE.includes(label ?? '')) continue
    expect(
      samples.some((line) => line.includes(`${label}="`)),
      label,
    ).toBe(true)
  }
})

test('every subject that an operator asks about is on it', () => {
  const all = targets.map(({ expr }) => expr).join('\n')
  for (const metric of [
    'nodejs_eventloop_lag_p99_seconds',
    'market_http_request_seconds_count',
    'market_partition_behind_seconds',
    'market_views_lag_records',
    'market_node_requests_total',
    'market_index_requests_total',
    'market_faults_total',
    'market_http_streams',
    'process_resident_memory_bytes',
    'market_disk_free_bytes',
    'market_ingest_writes',
    'market_dead_letters_total',
  ])
    expect(all).toContain(metric)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})
