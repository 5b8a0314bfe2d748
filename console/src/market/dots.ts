import type UPlot from 'uplot'
import type { CandleRow } from './statistics.ts'

/** Time in seconds and price in sats of each price that candles have: whole and below 2^53. */
export function dotsOf(rows: readonly CandleRow[]): UPlot.AlignedData {
  const dots = rows
    .flatMap(({ start, open_sats, high_sats, low_sats, close_sats }) =>
      [...new Set([open_sats, high_sats, low_sats, close_sats])].map((sats) => ({
        at: Date.parse(start) / 1_000,
        sats: Number(sats),
      })),
    )
    .sort((one, other) => one.at - other.at)
  return [dots.map(({ at }) => at), dots.map(({ sats }) => sats)]
}
