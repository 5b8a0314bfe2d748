import { useMemo } from 'preact/hooks'
import { groupedSats } from '../ui/values/amounts.ts'
import { Chart, type ChartColours, type ChartOptions } from './chart.tsx'
import { dotsOf } from './dots.ts'
import { pricesOverTime } from './prices-over-time.ts'
import type { CandleRow, Interval } from './statistics.ts'
import { SECONDS, timesAround, timeText } from './times.ts'

interface Dots {
  rows: readonly CandleRow[]
  interval: Interval
}

/** The prices of a few sales, each a dot at the beginning of its interval. */
export function SaleDots({ rows, interval }: Dots) {
  const data = useMemo(() => dotsOf(rows), [rows])
  const options = useMemo(() => (colours: ChartColours) => optionsOf(colours, interval), [interval])
  return (
    <>
      <p class="quiet">
        Few sales: the first, highest, lowest and last price of each {interval} are dots.
      </p>
      <Chart
        label={`Prices of the few sales by ${interval}, as dots`}
        data={data}
        options={options}
      />
    </>
  )
}

const optionsOf = (colours: ChartColours, interval: Interval): ChartOptions => ({
  padding: [null, 44, null, null],
  scales: {
    x: { range: (chart, first, last) => timesAround(chart, first, last, SECONDS[interval]) },
    y: { range: (_chart, _least, most) => [0, most * 1.2] },
  },
  ...pricesOverTime(colours, interval),
  series: [
    { label: 'From', value: (_chart, at) => (at === null ? '–' : timeText(at, interval)) },
    {
      label: 'Price, sats',
      stroke: colours.good,
      paths: () => null,
      points: { show: true, size: 9, fill: colours.good },
      value: (_chart, sats) => (sats === null ? '–' : groupedSats(String(sats))),
    },
  ],
})
