import { quantile } from './table.ts'

/** Of the rounds of one measurement: half of them lie between the quartiles. */
export interface Spread {
  lower: number
  median: number
  upper: number
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    lower: quantile(values, 0.25),
    median: middleOf(values),
    upper: quantile(values, 0.75),
  }
}

/** With an even number of values, halfway between the two in the middle. */
function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const above = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? above : ((sorted[half - 1] ?? Number.NaN) + above) / 2
}
