import type { Bound, Comparison, MeasuredLine } from './results.ts'
import { type Spread, spreadOf } from './spread.ts'

/** The ratio of each round, in which both sides shared the machine. */
export function ratioOf({ ratio, rounds }: Comparison): Spread {
  return spreadOf(
    rounds.map(({ ours, peer }) =>
      ratio === 'ours/peer' ? ours.figure / peer.figure : peer.figure / ours.figure,
    ),
  )
}

/** Our figures of that name. */
export function besideOf({ rounds }: Comparison, name: string): Spread {
  return spreadOf(rounds.map(({ ours }) => ours.beside?.[name] ?? Number.NaN))
}

export const isWithin = (value: number, bound: Bound): boolean =>
  'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost

/** What is worse than it was before, a text each. A missed target does not count. */
export function brokenGuards({ number, name, comparisons }: MeasuredLine): string[] {
  return comparisons.flatMap((comparison) => {
    const about = [`line ${number} (${name})`, comparison.name].filter(Boolean).join(', ')
    const broken: string[] = []
    const check = (what: string, value: number, guard: Bound | null) => {
      if (guard && !isWithin(value, guard))
        broken.push(`${about}: ${what} ${value.toPrecision(3)}, was ${boundText(guard)}`)
    }
    check(`ratio ${comparison.ratio}`, ratioOf(comparison).median, comparison.guard)
    for (const [what, { guard }] of Object.entries(comparison.beside))
      check(what, besideOf(comparison, what).median, guard)
    return broken
  })
}

export const boundText = (bound: Bound): string =>
  'atLeast' in bound ? `≥ ${rounded(bound.atLeast)}` : `≤ ${rounded(bound.atMost)}`

const rounded = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 3 })
