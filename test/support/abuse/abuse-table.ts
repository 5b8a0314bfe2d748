import type { HonestReport } from './honest-market.ts'
import type { Sizes } from './sizes.ts'
import type { Tally } from './stranger.ts'

/** What one attack did, compared with the idle time of the same run. */
export interface Abused {
  attack: string
  tally: Tally
  honest: HonestReport
  /** Milliseconds of the honest reads just before it, and of idle periods before that. */
  idleReadsMs: readonly number[]
  /** Of log, Redis and LMDB together, above what honest work stores in the same time. */
  keptBytes: number
  nodeCalls: number
  indexCalls: number
  sizes: Sizes
}

const HEAD = [
  'attack',
  'requests',
  'taken',
  'MiB sent',
  'kept a byte sent',
  'node calls a request',
  'index calls a request',
  'honest reads, p50 / p95 ms',
  'p95 to idle',
  'honest publishes, p50 / p95 ms',
  'put off or late',
  'RSS, MiB',
]
/** The row without an attack. */
const IDLE = 'nobody'
const MIB = 2 ** 20
/** Beside fewer bytes or requests a quotient would tell of what honest people do. */
const LEAST_BYTES = 10 * 2 ** 10
const LEAST_REQUESTS = 100
/** Of milliseconds. */
const DIGITS = { read: 1, publish: 0 }

/** The table of docs/abuse.md. */
export function abuseTable(idle: HonestReport, rows: readonly Abused[]): string {
  const cells = [HEAD, HEAD.map(() => '---'), idleCells(idle), ...rows.map(cellsOf)]
  return cells.map(line).join('\n')
}

/** That table with the rows of this run in the place of those before, in the order of `names`. */
export function mergedTable(before: string, now: string, names: readonly string[]): string {
  const [head = '', rule = '', ...rows] = now.split('\n')
  const nameOf = (row: string) => row.split(' | ')[0]?.slice('| '.length)
  const kept = before.split('\n')
  // What is idle belongs to all rows: one of fewer attacks does not replace it.
  const isWhole = rows.length === names.length + 1
  const [first, second] = isWhole ? [rows, kept] : [kept, rows]
  const idle = [...first, ...second].find((row) => nameOf(row) === IDLE)
  const found = names.map((name) => [...rows, ...kept].find((row) => nameOf(row) === name))
  return [head, rule, idle, ...found].filter((row) => row !== undefined).join('\n')
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`

const idleCells = (idle: HonestReport) => {
  const [reads, publishes] = [times(idle, 'read'), times(idle, 'publish')]
  return [IDLE, '–', '–', '–', '–', '–', '–', reads, '–', publishes, '–', '–']
}

const cellsOf = (row: Abused) => {
  const { attack, tally, honest, idleReadsMs, keptBytes, nodeCalls, indexCalls, sizes } = row
  const troubled = [...Object.values(honest.putOff), ...Object.values(honest.late)]
  return [
    attack,
    tally.requests,
    takenOf(tally),
    (tally.bytes / MIB).toFixed(2),
    tally.bytes < LEAST_BYTES ? '–' : (keptBytes / tally.bytes).toFixed(2),
    ...[nodeCalls, indexCalls].map((calls) =>
      tally.requests < LEAST_REQUESTS ? '–' : (calls / tally.requests).toFixed(1),
    ),
    times(honest, 'read'),
    (percentile(honest.answersMs.read ?? [], 0.95) / percentile(idleReadsMs, 0.95)).toFixed(1),
    times(honest, 'publish'),
    troubled.reduce((sum, count) => sum + count, 0),
    Math.round(sizes.rss / MIB),
  ]
}

/** Requests that were processed: neither rate limited nor deferred. */
const takenOf = ({ statuses }: Tally): number =>
  Object.entries(statuses)
    .filter(([status]) => status !== '429' && status !== '503')
    .reduce((sum, [, count]) => sum + count, 0)

const times = ({ answersMs }: HonestReport, act: 'read' | 'publish'): string => {
  const all = answersMs[act] ?? []
  if (all.length === 0) return '–'
  return [0.5, 0.95].map((part) => percentile(all, part).toFixed(DIGITS[act])).join(' / ')
}

/** Milliseconds, to a tenth; Infinity when there are no answers. */
export function percentile(answersMs: readonly number[], part: number): number {
  const sorted = [...answersMs].sort((a, b) => a - b)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  return found === undefined ? Number.POSITIVE_INFINITY : Math.round(found * 10) / 10
}
