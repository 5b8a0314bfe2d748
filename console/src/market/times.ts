import UPlot from 'uplot'
import type { Interval } from './statistics.ts'

export const SECONDS: Record<Interval, number> = { hour: 3_600, day: 86_400, week: 604_800 }

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

/** How many marks an axis may have, and how far from each other they must be, px: with its ends, one is in its middle. */
const COUNTS = [
  [5, 90],
  [3, 38],
  [2, 38],
] as const

interface TimeAxis {
  /** What is drawn, in time. */
  times: readonly number[]
  /** The ends of the axis. */
  from: number
  to: number
  /** Its length, px. */
  width: number
}

/**
 * Where a time axis has marks: at the first and the last time that is drawn, and between them as many as
 * have room, each at the start of an interval: a mark within it would have its name. What is drawn at one
 * time alone has the ends of the axis beside it.
 */
export function timeMarks({ times, from, to, width }: TimeAxis, seconds: number): number[] {
  const drawn = times.filter((time) => time >= from && time <= to)
  const isOne = drawn[0] === drawn.at(-1)
  const [first = from, last = to] = isOne ? [] : [drawn[0], drawn.at(-1)]
  const steps = Math.round((last - first) / seconds)
  const length = (width * (last - first)) / (to - from)
  const [count] = COUNTS.find(([one, px]) => one - 1 <= steps && (one - 1) * px <= length) ?? []
  if (count === undefined) return [first]
  return Array.from({ length: count }, (_, at) =>
    at === count - 1 ? last : first + Math.round((at * steps) / (count - 1)) * seconds,
  )
}

/** A mark of a time axis, in two lines: the less that is common to all, the higher. */
export function markText(at: number, interval: Interval): string {
  const iso = new Date(at * 1_000).toISOString()
  const day = iso.slice(5, 10)
  return interval === 'hour' ? `${iso.slice(11, 16)}\n${day}` : `${day}\n${iso.slice(0, 4)}`
}

/** Seconds since 1970 in UTC, as intervals are: the hour, or the day. */
export function timeText(at: number, interval: Interval): string {
  const iso = new Date(at * 1_000).toISOString()
  return interval === 'hour' ? iso.slice(5, 16).replace('T', ' ') : iso.slice(0, 10)
}

export const inUtc = (seconds: number): Date => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC')
