import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { RULE_FILES } from '../../scripts/docs/rule-files.ts'
import { Variables } from '../../src/schemas/config/config.ts'
import { rules } from '../support/alerts/rules.ts'
import { objectsIn, of, PodMonitor } from './manifests.ts'

// Every fault of docs/reliability.md has its alert, every alert its fault, and each is seen to fire in a test.

const names = rules.map(({ alert }) => alert)

interface FaultRow {
  fault: string
  alerts: string[]
  /** The tests in which they are seen: paths below `test/`. */
  seenIn: string[]
}

const NAMED = /`([\w/-]+)`/g

/** The rows of tables with the columns `alert` and `seen in`. */
function faultRows(): FaultRow[] {
  const tables = readFileSync('docs/reliability.md', 'utf8').split(/\n\n/)
  const ofFaults = tables.filter((text) => /^\| fault \|.*\| alert \| seen in \|$/m.test(text))
  expect(ofFaults).toHaveLength(2)
  return ofFaults.flatMap((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row): FaultRow => {
        const cells = row.split('|').map((cell) => cell.trim())
        const [alerts = [], seenIn = []] = cells
          .slice(-3, -1)
          .map((cell) => [...cell.matchAll(NAMED)].map(([, name = '']) => name))
        return { fault: cells[1] ?? '', alerts, seenIn }
      }),
  )
}

test('every row of the tables of faults names alerts that exist', () => {
  const rows = faultRows()
  expect(rows.length).toBeGreaterThan(30)
  for (const { fault, alerts } of rows) {
    expect(alerts.length, fault).toBeGreaterThan(0)
    for (const name of alerts) expect(names, fault).toContain(name)
  }
})

test('every alert is named in the tables, and has its own name', () => {
  const named = new Set(faultRows().flatMap(({ alerts }) => alerts))
  expect(names.filter((name) => !named.has(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

const alertsIn = (text: string): string[] =>
  [...text.matchAll(/'(Market[A-Z]\w+)'/g)].map(([, name = '']) => name)

/** What is asked to fire: `fires('…')`, `raises([…]`, `until([…], true`, or a list of that name. */
const FIRING = /\b(?:fires|raises|until)\(\s*(\[[^\]]*\]|'\w+'|\w+)(?:,\s*(true|false))?/g

/** The alerts that a test sees fire: over what it scrapes from roles, or over series written for it. */
function firedIn(test: string): Set<string> {
  const text = readFileSync(`test/${test}.test.ts`, 'utf8')
  expect(text, test).toMatch(/support\/alerts\/(?:scraper|watched-stack|prometheus)\.ts'/)
  if (test === 'services/alert-rules')
    return new Set(alertsIn(text + readFileSync('test/support/alerts/written-series.ts', 'utf8')))
  const fired = [...text.matchAll(FIRING)].flatMap(([, alerts = '', fires]) => {
    if (fires === 'false') return []
    if (!/^\w+$/.test(alerts)) return alertsIn(alerts)
    const [, list = ''] = new RegExp(`const ${alerts} = (\\[[^\\]]*\\])`).exec(text) ?? []
    return alertsIn(list)
  })
  return new Set(fired)
}

test('every alert of a row is asked for in a test that the row names, and each of these asks for one', () => {
  for (const { fault, alerts, seenIn } of faultRows()) {
    const asked = seenIn.map((test) => [test, firedIn(test)] as const)
    for (const name of alerts)
      expect(
        asked.some(([, of]) => of.has(name)),
        `${fault}: ${name}`,
      ).toBe(true)
    for (const [test, of] of asked)
      expect(
        alerts.some((name) => of.has(name)),
        `${fault}: ${test}`,
      ).toBe(true)
  }
})

/** Named in a test only because it may fire there: the disk is of the machine that runs it. */
const OF_THE_MACHINE = ['MarketDiskGrowing']
/** What takes days, a wrong node or another operator to happen. */
const WRITTEN_ALONE = [
  'MarketChainBroken',
  'MarketCirclesBehind',
  'MarketContinuityLost',
  'MarketContradicted',
  'MarketDiskGrowing',
  'MarketMemoryFilling',
  'MarketPairingBehind',
  'MarketPairingDiverged',
  'MarketPairingNotReady',
  'MarketPairingWithheld',
  'MarketPartitionBehind',
  'MarketVerificationsWaiting',
]

test('all other alerts are seen over what running roles give', () => {
  const tests = new Set(faultRows().flatMap(({ seenIn }) => seenIn))
  tests.delete('services/alert-rules')
  const seen = new Set([...tests].flatMap((test) => [...firedIn(test)]))
  const unseen = names.filter((name) => !seen.has(name) || OF_THE_MACHINE.includes(name))
  expect(unseen.sort()).toEqual(WRITTEN_ALONE)
})

/** As Prometheus matches them: `=~` the whole value. */
function matches(operator: string, pattern: string, value: string): boolean {
  const isMatch = operator.endsWith('~')
    ? new RegExp(`^(?:${pattern})$`).test(value)
    : pattern === value
  return isMatch !== operator.startsWith('!')
}

/** What docs/mainnet.md gives Prometheus where one process is every role. */
const Configuration = z.strictObject({
  scrape_configs: z
    .array(
      z.strictObject({
        job_name: z.string(),
        scrape_interval: z.string(),
        static_configs: z
          .array(
            z.strictObject({
              targets: z.array(z.string()),
              labels: z.record(z.string(), z.string()),
            }),
          )
          .length(1),
      }),
    )
    .length(1),
  rule_files: z.array(z.string()),
})

test('one process, scraped as docs/mainnet.md says, is seen by every alert', () => {
  const [, yaml = ''] =
    /^```yaml\n([\s\S]*?)^```/m.exec(readFileSync('docs/mainnet.md', 'utf8')) ?? []
  const { scrape_configs: scraped, rule_files: files } = Configuration.parse(parse(yaml))
  const { job_name: job, scrape_interval: interval, static_configs: targets } = scraped[0]!
  const [monitor] = of(PodMonitor, objectsIn('components/monitoring'))
  expect(interval).toBe(monitor?.spec.podMetricsEndpoints[0]?.interval)
  expect(targets[0]!.targets).toEqual([
    `127.0.0.1:${Variables.shape.METRICS_PORT.parse(undefined)}`,
  ])
  const own: Record<string, string> = { job, ...targets[0]!.labels }
  for (const { alert, expr } of rules) {
    for (const [, label = '', operator = '', pattern = ''] of expr.matchAll(
      /\b(role|job|namespace|pod)(=~|!~|!=|=)"([^"]*)"/g,
    ))
      expect(matches(operator, pattern, own[label] ?? ''), `${alert}: ${label}`).toBe(true)
  }
  for (const file of files) {
    const [, inPackage = ''] = /\/node_modules\/psbt-market\/(.*)$/.exec(file) ?? []
    expect(Object.keys(RULE_FILES), file).toContain(inPackage)
  }
})
