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
const MIB = 2 ** 20
/** Beside fewer bytes or requests a quotient would tell of what honest people do. */
const LEAST_BYTES = 10 * 2 ** 10
const LEAST_REQUESTS = 100
/** Of milliseconds. */
const DIGITS = { read: 1, publish: 0 }

/** The table of docs/abuse.md. */
export function abuseTable(idle: HonestReport, rows: readonly Abused[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    line(HEAD),
    line(HEAD.map(() => '---')),
    line([
      'nobody',
      '–',
      '–',
      '–',
      '–',
      '–',
      '–',
      times(idle, 'read'),
      '–',
      times(idle, 'publish'),
      '–',
      '–',
    ]),
    ...rows.map(({ attack, tally, honest, idleReadsMs, keptBytes, nodeCalls, indexCalls, sizes }) =>
      line([
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
        [...Object.values(honest.putOff), ...Object.values(honest.late)].reduce(
          (sum, count) => sum + count,
          0,
        ),
        Math.round(sizes.rss / MIB),
      ]),
    ),
  ].join('\n')
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
