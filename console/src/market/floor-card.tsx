import { useMemo } from 'preact/hooks'
import type UPlot from 'uplot'
import { Link } from 'wouter-preact'
import { groupedSats } from '../ui/values/amounts.ts'
import { Chart, type ChartColours, type ChartOptions } from './chart.tsx'
import { OneMarket } from './one-market.tsx'
import { pricesOverTime } from './prices-over-time.ts'
import { AllRows, SaveCsv } from './save-csv.tsx'
import { Since } from './since.tsx'
import { type Chosen, type FloorRow, type Interval, useFloor } from './statistics.ts'
import { SECONDS, timesAround, timeText } from './times.ts'

/** The lowest ask and the highest bid that were live at each time. */
export function FloorCard({ chosen, interval }: { chosen: Chosen; interval: Interval }) {
  const query = useFloor(chosen, interval)
  const { rows = [], interval: drawnBy = interval } = query.data ?? {}
  return (
    <section class="card" aria-labelledby="floor" aria-busy={query.isPlaceholderData}>
      <div class="page-head">
        <h2 id="floor">Floor over time</h2>
        {rows.length > 0 && (
          <>
            <SaveCsv rows={rows} name={`floor-${interval}`} isOld={query.isPlaceholderData} />
            <AllRows statistic="floor" chosen={chosen} interval={interval} />
          </>
        )}
      </div>
      <Since query={query} />
      <OneMarket
        query={query}
        none={
          <>
            Nothing was for sale in this time. <Link href="/console/sell">List one</Link>
          </>
        }
        what="floor is"
      >
        {(drawn) => <Floor rows={drawn} interval={drawnBy} />}
      </OneMarket>
    </section>
  )
}

function Floor({ rows, interval }: { rows: readonly FloorRow[]; interval: Interval }) {
  const inTime = useMemo(
    () => [...rows].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    [rows],
  )
  const data = useMemo(() => floorOf(inTime), [inTime])
  const options = useMemo(() => (colours: ChartColours) => optionsOf(colours, interval), [interval])
  return (
    <>
      <Chart label={`Floor and best bid by ${interval}`} data={data} options={options} />
      <details>
        <summary>The same as a table</summary>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">At</th>
              <th scope="col" class="number">
                Floor, sats
              </th>
              <th scope="col" class="number">
                Best bid, sats
              </th>
            </tr>
          </thead>
          <tbody>
            {inTime.map((row) => (
              <tr key={row.at}>
                <th scope="row">
                  <time dateTime={row.at}>{timeText(Date.parse(row.at) / 1_000, 'hour')}</time>
                </th>
                <td data-label="Floor, sats" class="number">
                  {row.floor_sats === null ? '–' : groupedSats(row.floor_sats)}
                </td>
                <td data-label="Best bid, sats" class="number">
                  {row.best_bid_sats === null ? '–' : groupedSats(row.best_bid_sats)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

/** Time in seconds, then floor and best bid in sats: whole and below 2^53. */
function floorOf(rows: readonly FloorRow[]): UPlot.AlignedData {
  const column = (name: 'floor_sats' | 'best_bid_sats') =>
    rows.map((row) => (row[name] === null ? null : Number(row[name])))
  return [
    rows.map(({ at }) => Date.parse(at) / 1_000),
    column('floor_sats'),
    column('best_bid_sats'),
  ]
}

const optionsOf = (colours: ChartColours, interval: Interval): ChartOptions => ({
  padding: [null, 44, null, null],
  scales: {
    x: { range: (chart, first, last) => timesAround(chart, first, last, SECONDS[interval]) },
  },
  ...pricesOverTime(colours, interval, 'Sats'),
  series: [
    { label: 'At', value: (_chart, at) => (at === null ? '–' : timeText(at, 'hour')) },
    line('Floor, sats', colours.bad),
    line('Best bid, sats', colours.good),
  ],
})

const line = (label: string, stroke: string): UPlot.Series => ({
  label,
  stroke,
  width: 2,
  points: { show: true, size: 5 },
  value: (_chart, sats) => (sats === null ? '–' : groupedSats(String(sats))),
})
