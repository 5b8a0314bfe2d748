import UPlot from 'uplot'
import type { Interval } from './statistics.ts'

export const SECONDS: Record<Interval, number> = { hour: 3_600, day: 86_400, week: 604_800 }

/** Intervals between two marks of the time. */
const STEPS = [1, 2, 3, 7, 14, 28, 91, 364]

/** Seconds between two marks: a mark in an interval would have the name of its start. */
export const timeSteps = (interval: Interval): number[] =>
  STEPS.map((step) => step * SECONDS[interval])

/** An interval at each end; of one point alone, uPlot itself would show years. */
export function timesAround(
  chart: UPlot,
  first: number,
  last: number,
  seconds: number,
): [number, number] {
  const [times = []] = chart.data
  const [only] = times
  if (times.length === 1 && only !== undefined) return [only - 3 * seconds, only + 3 * seconds]
  return [first - seconds, last + seconds]
}

/** Seconds since 1970 in UTC, as intervals are: the hour, or the day. */
export function timeText(at: number, interval: Interval): string {
  const iso = new Date(at * 1_000).toISOString()
  return interval === 'hour' ? iso.slice(5, 16).replace('T', ' ') : iso.slice(0, 10)
}

export const inUtc = (seconds: number): Date => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC')
