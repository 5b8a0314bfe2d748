/** What a fault did, counted apart from the service. */
export interface Faulted {
  fault: string
  runs: number
  transitions: number
  lost: number
  duplicated: number
  outOfOrder: number
  /** From the fault, or its end, until everything is as before: milliseconds. */
  recoveriesMs: readonly number[]
}

const HEAD = [
  'fault',
  'runs',
  'transitions',
  'lost',
  'duplicated',
  'out of order',
  'recovery, median',
  'at most',
]

/** The table of docs/reliability.md. */
export function faultTable(rows: readonly Faulted[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    line(HEAD),
    line(HEAD.map(() => '---')),
    ...rows.map((row) => {
      const { fault, runs, transitions, lost, duplicated, outOfOrder, recoveriesMs } = row
      const sorted = [...recoveriesMs].sort((a, b) => a - b)
      const times = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(seconds)
      return line([fault, runs, transitions, lost, duplicated, outOfOrder, ...times])
    }),
  ].join('\n')
}

const seconds = (ms: number | undefined): string =>
  ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`
