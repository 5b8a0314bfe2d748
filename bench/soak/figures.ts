/** The figures of one second of a soak. */
export interface Second {
  /** Since the load began. */
  at: number
  heapMb: number
  rssMb: number
  /** Answered. */
  reads: number
  /** Answered that the service is busy (503). */
  shed: number
  /** Of the reads that were answered. */
  p99Ms: number
  /** How long ago the order was known to be true that was checked the longest ago. */
  lagMs: number
}

export const MEASURES = ['heapMb', 'rssMb', 'p99Ms', 'lagMs', 'shed'] as const
export type Measure = (typeof MEASURES)[number]

/**
 * How fast a measure grows, by least squares, in its unit an hour; 0 for fewer than two seconds.
 */
export function slopeAnHour(seconds: readonly Second[], measure: Measure): number {
  const mean = (of: (second: Second) => number) =>
    seconds.reduce((sum, second) => sum + of(second), 0) / seconds.length
  const at = mean((second) => second.at)
  const value = mean((second) => second[measure])
  const spread = mean((second) => (second.at - at) ** 2)
  if (seconds.length < 2 || spread === 0) return 0
  return (mean((second) => (second.at - at) * (second[measure] - value)) / spread) * 3_600
}

/** The age of the oldest of these verifications, milliseconds; throws if there is none. */
export function oldestAgeMs(checkedAt: readonly string[], now: number): number {
  const [oldest] = checkedAt.map((at) => Date.parse(at)).sort((a, b) => a - b)
  if (oldest === undefined) throw new Error('no order is LIVE')
  return Math.max(0, now - oldest)
}
