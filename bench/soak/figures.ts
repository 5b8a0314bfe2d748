/** The figures of one second of a soak. */
export interface Second {
  /** Since the load began. */
  at: number
  heapMb: number
  rssMb: number
  reads: number
  p99Ms: number
  /** How long ago an order was last known to be true. */
  lagMs: number
}

export const MEASURES = ['heapMb', 'rssMb', 'p99Ms', 'lagMs'] as const
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
