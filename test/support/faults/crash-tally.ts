import type { Cause, ChangeRecord, LifecycleRecord } from '../../../src/schemas/log.ts'
import type { Said } from './crash-plan.ts'
import type { Life } from './crash-run.ts'

/** What one process did and what became of it, counted apart from the service and its audit. */
export interface Tally {
  transitions: number
  acknowledged: number
  /** What was acknowledged and is not in the log. */
  lost: string[]
  /** What is in the log twice, attributed to the process that wrote the second one. */
  duplicated: string[]
  /** Orders that a reader saw at a lower seq than before. */
  wentBack: string[]
  /**
   * From the start of the process until it has processed everything that it found, ms; null: it was
   * killed before.
   */
  recoveryMs: number | null
}

type Of<T extends Said['said']> = Extract<Said, { said: T }>

const saidOf = <T extends Said['said']>({ said }: Life, what: T): Of<T>[] =>
  said.filter((one): one is Of<T> => one.said === what)

/** A tally for each process of a run. */
export function tally(lives: readonly Life[]): Tally[] {
  const log = new Set(lives.flatMap(({ wrote }) => wrote.flatMap(namesOf)))
  const written = new Set<string>()
  const seen = new Map<string, number>()
  return lives.map((life) => {
    const acknowledged = [
      ...saidOf(life, 'answered').map(({ order, seq, hash }) => `${order} seq ${seq} ${hash}`),
      ...saidOf(life, 'outcome').map(({ request, seq }) => `request ${request} seq ${seq}`),
    ]
    return {
      transitions: life.wrote.filter(({ kind }) => kind === 'transition').length,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((name) => !log.has(name)),
      duplicated: life.wrote.flatMap(uniqueNamesOf).filter((name) => !isNew(written, name)),
      wentBack: saidOf(life, 'answered').flatMap(({ order, seq }) => {
        const before = seen.get(order) ?? 0
        seen.set(order, Math.max(before, seq))
        return seq < before ? [`${order}: seq ${seq} after ${before}`] : []
      }),
      recoveryMs: saidOf(life, 'recovered')[0]?.ms ?? null,
    }
  })
}

/** What an answer may be found by. */
const namesOf = (record: LifecycleRecord): string[] =>
  record.kind === 'outcome'
    ? [`request ${record.requestId} seq ${'seq' in record.outcome ? record.outcome.seq : ''}`]
    : [`${record.orderId} seq ${record.seq} ${record.hash}`]

/** An import may move its order several times: the moves are numbered. */
const placeOf = ({ partition, offset, told = 0 }: Cause): string => `${partition}/${offset}/${told}`

/**
 * What the log may hold only once: a seq of an order, a numbered move of it by one inbox record, an outcome.
 */
function uniqueNamesOf(record: LifecycleRecord): string[] {
  if (record.kind === 'outcome') return [`outcome of request ${record.requestId}`]
  return [`${record.orderId} seq ${record.seq}`, ...moveOf(record)]
}

const moveOf = ({ kind, orderId, cause }: ChangeRecord): string[] =>
  kind === 'transition' ? [`move of ${orderId} by ${placeOf(cause)}`] : []

function isNew(written: Set<string>, name: string): boolean {
  if (written.has(name)) return false
  written.add(name)
  return true
}

/** A kill, what its process had done, and how long the next one took to recover. */
export interface Kill {
  where: string
  of: Tally
  recoveryMs: number | null
}

/** The table of docs/reliability.md. */
export function tableOf(places: readonly string[], kills: readonly Kill[]): string {
  const head = [
    '| killed | kills | transitions | acknowledged | lost | duplicated | recovery, median | at most |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
  ]
  const rows = [...places, 'all'].map((place) => {
    const some = place === 'all' ? kills : kills.filter(({ where }) => where === place)
    const total = (count: (of: Tally) => number) => some.reduce((sum, { of }) => sum + count(of), 0)
    const times = some.flatMap(({ recoveryMs }) => recoveryMs ?? []).sort((a, b) => a - b)
    const cells = [
      place,
      some.length,
      total(({ transitions }) => transitions),
      total(({ acknowledged }) => acknowledged),
      total(({ lost }) => lost.length),
      total(({ duplicated }) => duplicated.length),
      seconds(times[Math.floor(times.length / 2)]),
      seconds(times.at(-1)),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [...head, ...rows].join('\n')
}

const seconds = (ms: number | undefined): string =>
  ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`
