import type { HistoryUsage, StoreUsage, TopicUsage, Usage } from './usage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Topics with their partitions, then tables, then what a month adds in all. */
export function usageLines({ at, topics, stores, history, notes }: Usage): string[] {
  const now = Date.parse(at)
  const there = topics.filter(({ records }) => records > 0)
  return [
    topicRow(['topic', 'records', 'bytes', 'each', 'time span', 'per day', 'per month']),
    ...there.flatMap((topic) => topicLines(topic, now)),
    topicRow(['all', '', sizeText(sum(there, ({ bytes }) => bytes)), '', '', '', monthOf(there)]),
    ...stores.flatMap(storeLines),
    ...(history ? [...storeLines(history), monthLine(history)] : []),
    ...notes.map((note) => `note: ${note}`),
  ]
}

const sum = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((total, one) => total + of(one), 0)

const topicRow = ([name = '', ...cells]: string[]): string =>
  (name.padEnd(22) + cells.map((cell, at) => cell.padEnd(at < 3 ? 10 : 21)).join('')).trimEnd()

function topicLines(usage: TopicUsage, now: number): string[] {
  const { topic, records, bytes, bytesPerRecord, since, growth, partitions } = usage
  const reach = since === null ? '' : `${spanText(now - Date.parse(since))}${ruleText(usage)}`
  const rate = growth ? `${sizeText(growth.bytesPerDay)} (of ${growth.overHours} h)` : 'too short'
  const total = topicRow([
    topic,
    String(records),
    sizeText(bytes),
    sizeText(bytesPerRecord ?? 0),
    reach,
    rate,
    growth ? atMost(usage) + sizeText(growth.monthBytes) : 'unknown',
  ])
  if (partitions.length < 2) return [total]
  const parts = partitions.map((one) =>
    topicRow([`  ${one.partition}`, String(one.records), sizeText(one.bytes)]),
  )
  return [total, ...parts]
}

const atMost = ({ cleanUp }: TopicUsage): string =>
  cleanUp?.policy === 'delete' || cleanUp?.policy === 'keep' ? '' : 'at most '

function ruleText({ cleanUp }: TopicUsage): string {
  if (cleanUp?.policy === 'delete') return ` of ${cleanUp.afterMs / DAY_MS} days`
  return cleanUp?.policy === 'keep' ? ', kept' : ''
}

const spanText = (ms: number): string =>
  ms < DAY_MS ? `${(ms / HOUR_MS).toFixed(1)} h` : `${(ms / DAY_MS).toFixed(1)} d`

function monthOf(topics: readonly TopicUsage[]): string {
  const known = topics.flatMap(({ growth }) => growth ?? [])
  if (known.length === 0) return 'unknown'
  const text = `at most ${sizeText(sum(known, ({ monthBytes }) => monthBytes))}`
  return known.length < topics.length ? `${text}, of topics with a known rate` : text
}

function storeLines({ name, bytes, tables }: StoreUsage): string[] {
  const row = (first: string, entries: string, size: string) =>
    `${first.padEnd(30)}${entries.padEnd(12)}${size}`.trimEnd()
  return [
    '',
    row(name.length < 30 ? name : `${name}  `, 'entries', 'bytes'),
    ...tables.map((table) => row(table.name, String(table.entries), sizeText(table.bytes))),
    row('all', '', sizeText(bytes)),
  ]
}

const monthLine = ({ monthBytes }: HistoryUsage): string =>
  `per month: ${monthBytes === null ? 'unknown' : `${sizeText(monthBytes)}, as the lifecycle grows`}`

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB']

/** A byte count to three digits, in steps of a thousand. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`
  let value = bytes
  let unit = -1
  // A value that would round to 1000 goes to the next unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000
    unit += 1
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
  return `${value.toFixed(digits)} ${UNITS[unit]}`
}
