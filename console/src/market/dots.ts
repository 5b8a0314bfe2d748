import type UPlot from 'uplot'
import type { SaleRow } from './statistics.ts'

/** Time in seconds and price in sats of what counts as sold: whole and below 2^53. */
export function dotsOf(rows: readonly SaleRow[]): UPlot.AlignedData {
  const sold = rows
    .filter(({ is_taken_back, gross_price_sats }) => !is_taken_back && gross_price_sats !== null)
    .map(({ sold_at, gross_price_sats }) => [Date.parse(sold_at) / 1_000, Number(gross_price_sats)])
    .sort(([one = 0], [other = 0]) => one - other)
  return [sold.map(([at = 0]) => at), sold.map(([, sats = 0]) => sats)]
}
