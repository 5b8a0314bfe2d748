import { useMemo } from 'preact/hooks'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Chart, type ChartColours, type ChartOptions } from './chart.tsx'
import { dotsOf } from './dots.ts'
import { pricesOverTime } from './prices-over-time.ts'
import { type Chosen, type Interval, useSales } from './statistics.ts'
import { SECONDS, timesAround, timeText } from './times.ts'

/** A few sales, each a dot at its time and price; *Recent sales* has them as a table. */
export function SaleDots({ chosen, interval }: { chosen: Chosen; interval: Interval }) {
  const query = useSales(chosen)
  const data = useMemo(() => dotsOf(query.data?.rows ?? []), [query.data])
  const options = useMemo(() => (colours: ChartColours) => optionsOf(colours, interval), [interval])
  if (!query.data) return <Waiting query={query} />
  return (
    <>
      <p class="quiet">Few sales: each is a dot.</p>
      <Chart label="Prices of the sales, each a dot" data={data} options={options} />
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
    { label: 'Sold', value: (_chart, at) => (at === null ? '–' : timeText(at, 'hour')) },
    {
      label: 'Price, sats',
      stroke: colours.good,
      paths: () => null,
      points: { show: true, size: 9, fill: colours.good },
      value: (_chart, sats) => (sats === null ? '–' : groupedSats(String(sats))),
    },
  ],
})
