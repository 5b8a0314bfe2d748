import { useMemo } from 'preact/hooks'
import type UPlot from 'uplot'
import { groupedSats } from '../ui/amounts.ts'
import { axis, Chart, type ChartColours, type ChartOptions } from '../ui/chart.tsx'
import { OneMarket } from './one-market.tsx'
import { SaveCsv } from './save-csv.tsx'
import { type CandleRow, type Chosen, type Interval, useCandles } from './statistics.ts'
import { inUtc, SECONDS, timesAround, timeText } from './times.ts'

/** Of an interval's width. */
const BODY = 0.6
const MAX_BODY_PX = 24
/** Intervals between two marks of the time. */
const STEPS = [1, 2, 3, 7, 14, 28, 91, 364]

interface Card {
  chosen: Chosen
  interval: Interval
  change(interval: string): void
}

/** Prices of the sales of each interval: open, high, low and close. */
export function CandleCard({ chosen, interval, change }: Card) {
  const query = useCandles(chosen, interval)
  const rows = query.data?.rows ?? []
  return (
    <section class="card" aria-labelledby="candles">
      <div class="page-head">
        <h2 id="candles">Candles</h2>
        <label class="beside">
          Interval{' '}
          <select value={interval} onChange={({ currentTarget }) => change(currentTarget.value)}>
            <option value="hour">hour</option>
            <option value="day">day</option>
            <option value="week">week</option>
          </select>
        </label>
        {rows.length > 0 && <SaveCsv rows={rows} name={`candles-${interval}`} />}
      </div>
      <OneMarket query={query} none="No sale in this time." what="candles are">
        {(drawn) => <Candles rows={drawn} interval={interval} />}
      </OneMarket>
    </section>
  )
}

function Candles({ rows, interval }: { rows: readonly CandleRow[]; interval: Interval }) {
  const data = useMemo(() => candlesOf(rows), [rows])
  const options = useMemo(() => (colours: ChartColours) => optionsOf(colours, interval), [interval])
  return (
    <>
      <Chart label={`Prices of the sales by ${interval}`} data={data} options={options} />
      <details>
        <summary>The same as a table</summary>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">From</th>
              {COLUMNS.map(([head]) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.start}>
                <th scope="row">
                  <time dateTime={row.start}>
                    {timeText(Date.parse(row.start) / 1_000, interval)}
                  </time>
                </th>
                {COLUMNS.map(([head, name]) => (
                  <td key={head} data-label={head} class="number">
                    {groupedSats(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

const COLUMNS = [
  ['Open', 'open_sats'],
  ['High', 'high_sats'],
  ['Low', 'low_sats'],
  ['Close', 'close_sats'],
  ['Volume', 'volume_sats'],
  ['Sales', 'sales'],
] as const

/** Time in seconds, then open, high, low and close in sats: whole and below 2^53. */
function candlesOf(rows: readonly CandleRow[]): UPlot.AlignedData {
  const inTime = [...rows].sort((a, b) => Date.parse(a.start) - Date.parse(b.start))
  const column = (name: 'open_sats' | 'high_sats' | 'low_sats' | 'close_sats') =>
    inTime.map((row) => Number(row[name]))
  return [
    inTime.map(({ start }) => Date.parse(start) / 1_000),
    column('open_sats'),
    column('high_sats'),
    column('low_sats'),
    column('close_sats'),
  ]
}

const optionsOf = (colours: ChartColours, interval: Interval): ChartOptions => ({
  padding: [null, 44, null, null],
  // The series are drawn as candles: none has a line, or a colour of its own.
  legend: { markers: { show: false } },
  scales: {
    x: { range: (chart, first, last) => timesAround(chart, first, last, SECONDS[interval]) },
    y: {
      range: (_chart, least, most) => {
        const margin = Math.max((most - least) * 0.1, most * 0.02)
        return [Math.max(0, least - margin), most + margin]
      },
    },
  },
  tzDate: inUtc,
  axes: [
    {
      ...axis(colours, (at) => timeText(at, interval)),
      size: 40,
      space: 90,
      incrs: STEPS.map((step) => step * SECONDS[interval]),
    },
    axis(colours, (sats) => groupedSats(String(Math.round(sats)))),
  ],
  series: [
    { label: 'From', value: (_chart, at) => (at === null ? '–' : timeText(at, interval)) },
    ...COLUMNS.slice(0, 4).map(([label]) => priceSeries(label, colours)),
  ],
  hooks: { draw: [(chart) => drawCandles(chart, colours, SECONDS[interval])] },
})

/** Drawn by `drawCandles`; here for the scale and the legend. */
const priceSeries = (label: string, { ink }: ChartColours): UPlot.Series => ({
  label,
  stroke: ink,
  paths: () => null,
  points: { show: false },
  value: (_chart, value) => (value === null ? '–' : groupedSats(String(value))),
})

function drawCandles(chart: UPlot, { good, bad }: ChartColours, seconds: number): void {
  const { ctx, data } = chart
  const [times, open = [], high = [], low = [], close = []] = data
  const x = (time: number) => chart.valToPos(time, 'x', true)
  const y = (sats: number) => chart.valToPos(sats, 'y', true)
  const width = Math.max(2, Math.min(MAX_BODY_PX * devicePixelRatio, (x(seconds) - x(0)) * BODY))
  ctx.save()
  ctx.lineWidth = devicePixelRatio
  times.forEach((time, at) => {
    const [from, to] = [open[at] ?? 0, close[at] ?? 0]
    const colour = to < from ? bad : good
    ctx.strokeStyle = colour
    ctx.fillStyle = colour
    ctx.beginPath()
    ctx.moveTo(x(time), y(high[at] ?? 0))
    ctx.lineTo(x(time), y(low[at] ?? 0))
    ctx.stroke()
    const top = y(Math.max(from, to))
    ctx.fillRect(x(time) - width / 2, top, width, Math.max(2, y(Math.min(from, to)) - top))
  })
  ctx.restore()
}
