import { useMemo } from 'preact/hooks'
import type UPlot from 'uplot'
import { groupedSats } from '../ui/values/amounts.ts'
import { Chart, type ChartColours, type ChartOptions } from './chart.tsx'
import { NoSale } from './no-sale.tsx'
import { OneMarket } from './one-market.tsx'
import { pricesOverTime } from './prices-over-time.ts'
import { SaleDots } from './sale-dots.tsx'
import { AllRows, SaveCsv } from './save-csv.tsx'
import { Since } from './since.tsx'
import { type CandleRow, type Chosen, type Interval, useCandles } from './statistics.ts'
import { SECONDS, timesAround, timeText } from './times.ts'

/** Below it, a sale is a dot: a candle of one is a slab that says nothing. */
const FEW_SALES = 5
/** Of the height, one part is for the volume below the candles. */
const VOLUME_SHARE = 6
/** Of an interval's width. */
const BODY = 0.6
const MAX_BODY_PX = 24

interface Card {
  chosen: Chosen
  interval: Interval
  change(interval: string): void
}

/** Prices of the sales of each interval: open, high, low and close. */
export function CandleCard({ chosen, interval, change }: Card) {
  const query = useCandles(chosen, interval)
  const { rows = [], interval: drawnBy = interval } = query.data ?? {}
  return (
    <section class="card" aria-labelledby="candles" aria-busy={query.isPlaceholderData}>
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
        {rows.length > 0 && (
          <>
            <SaveCsv rows={rows} name={`candles-${interval}`} isOld={query.isPlaceholderData} />
            <AllRows statistic="candles" chosen={chosen} interval={interval} />
          </>
        )}
      </div>
      <Since query={query} />
      <OneMarket query={query} none={<NoSale />} what="candles are">
        {(drawn) => <Candles rows={drawn} interval={drawnBy} />}
      </OneMarket>
    </section>
  )
}

const countOf = (rows: readonly CandleRow[]): number =>
  rows.reduce((sum, { sales }) => sum + Number(sales), 0)

interface CandlesParts {
  rows: readonly CandleRow[]
  interval: Interval
}

function Candles({ rows, interval }: CandlesParts) {
  const data = useMemo(() => candlesOf(rows), [rows])
  const options = useMemo(() => (colours: ChartColours) => optionsOf(colours, interval), [interval])
  return (
    <>
      {countOf(rows) < FEW_SALES ? (
        <SaleDots rows={rows} interval={interval} />
      ) : (
        <Chart label={`Prices of the sales by ${interval}`} data={data} options={options} />
      )}
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

const DRAWN = [
  ['Open', 'open_sats'],
  ['High', 'high_sats'],
  ['Low', 'low_sats'],
  ['Close', 'close_sats'],
  ['Volume', 'volume_sats'],
] as const
const COLUMNS = [...DRAWN, ['Sales', 'sales']] as const

/** Time in seconds, then open, high, low, close and volume in sats: whole and below 2^53. */
function candlesOf(rows: readonly CandleRow[]): UPlot.AlignedData {
  const inTime = [...rows].sort((a, b) => Date.parse(a.start) - Date.parse(b.start))
  const column = (name: (typeof DRAWN)[number][1]) => inTime.map((row) => Number(row[name]))
  return [
    inTime.map(({ start }) => Date.parse(start) / 1_000),
    ...DRAWN.map(([, name]) => column(name)),
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
    volume: { range: (_chart, _least, most) => [0, most * VOLUME_SHARE] },
  },
  ...pricesOverTime(colours, interval),
  series: [
    { label: 'From', value: (_chart, at) => (at === null ? '–' : timeText(at, interval)) },
    ...DRAWN.map(([label]) => hiddenSeries(label, colours)),
  ],
  hooks: { draw: [(chart) => drawCandles(chart, colours, SECONDS[interval])] },
})

/** Drawn by `drawCandles`; here for the scale and the legend. */
const hiddenSeries = (label: string, { ink }: ChartColours): UPlot.Series => ({
  label,
  scale: label === 'Volume' ? 'volume' : 'y',
  stroke: ink,
  paths: () => null,
  points: { show: false },
  value: (_chart, value) => (value === null ? '–' : groupedSats(String(value))),
})

function drawCandles(chart: UPlot, { good, bad, line }: ChartColours, seconds: number): void {
  const { ctx, data } = chart
  const [times, open = [], high = [], low = [], close = [], volume = []] = data
  const x = (time: number) => chart.valToPos(time, 'x', true)
  const y = (sats: number) => chart.valToPos(sats, 'y', true)
  const width = Math.max(2, Math.min(MAX_BODY_PX * devicePixelRatio, (x(seconds) - x(0)) * BODY))
  ctx.save()
  ctx.lineWidth = devicePixelRatio
  ctx.fillStyle = line
  times.forEach((time, at) => {
    const top = chart.valToPos(volume[at] ?? 0, 'volume', true)
    ctx.fillRect(x(time) - width / 2, top, width, chart.valToPos(0, 'volume', true) - top)
  })
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
