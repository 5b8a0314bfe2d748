/** Of the rounds of one measurement: half of them lie between the quartiles. */
export interface Spread {
  lower: number
  median: number
  upper: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  return { lower: at(sorted, 0.25), median: at(sorted, 0.5), upper: at(sorted, 0.75) }
}

/** This share of the way from the least to the largest, between two values in proportion. */
function at(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place % 1)
}
