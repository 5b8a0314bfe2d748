import { useMemo } from 'preact/hooks'
import UPlot from 'uplot'
import { Link } from 'wouter-preact'
import { groupedSats } from '../ui/values/amounts.ts'
import { acrossAxis, Chart, type ChartColours, type ChartOptions, upAxis } from './chart.tsx'
import { OneMarket } from './one-market.tsx'
import { type Chosen, type DepthRow, useDepth } from './statistics.ts'

/** How many live orders can be taken up to each price. */
export function DepthCard({ chosen }: { chosen: Chosen }) {
  const query = useDepth(chosen)
  return (
    <section class="card" aria-labelledby="depth">
      <h2 id="depth">Depth</h2>
      <OneMarket
        query={query}
        none={
          <>
            No live order has a price. <Link href="/console/sell">List one</Link>
          </>
        }
        what="depth is"
      >
        {(rows) => <Depth rows={rows} />}
      </OneMarket>
      {query.data?.hasMore && <p class="quiet">Only the first prices are drawn.</p>}
    </section>
  )
}

function Depth({ rows }: { rows: readonly DepthRow[] }) {
  const data = useMemo(() => depthOf(rows), [rows])
  return (
    <>
      <Chart label="Live orders up to each price" data={data} options={optionsOf} />
      <details>
        <summary>The same as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Side</th>
              <th scope="col" class="number">
                Price, sats
              </th>
              <th scope="col" class="number">
                Orders
              </th>
              <th scope="col" class="number">
                Up to it
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.side} ${row.price_sats}`}>
                <td>{row.side === 'BID' ? 'bid' : 'ask'}</td>
                <td class="number">{groupedSats(row.price_sats)}</td>
                <td class="number">{row.orders}</td>
                <td class="number">{row.orders_up_to}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

/** How far the steps continue beyond the outermost prices. */
const BEYOND = 0.05

/** One column of prices; each side continues to its own end of the chart. */
function depthOf(rows: readonly DepthRow[]): UPlot.AlignedData {
  // Amounts are whole and below 2^53: a chart may have them as numbers.
  const named = rows.map(({ price_sats }) => Number(price_sats))
  const [first, last] = [Math.min(...named), Math.max(...named)]
  const ends = { BID: Math.floor(first * (1 - BEYOND)), ASK: Math.ceil(last * (1 + BEYOND)) }
  const prices = [...new Set([ends.BID, ...named, ends.ASK])].sort((a, b) => a - b)
  const counts = (side: DepthRow['side']) => {
    const own = rows.filter((row) => row.side === side)
    const at = new Map(own.map((row) => [Number(row.price_sats), Number(row.orders_up_to)]))
    if (at.size > 0) at.set(ends[side], Math.max(...at.values()))
    // Undefined, not null: uPlot joins across it.
    return prices.map((price) => at.get(price))
  }
  return [prices, counts('ASK'), counts('BID')]
}

const optionsOf = (colours: ChartColours): ChartOptions => ({
  scales: {
    x: { time: false, range: (_chart, first, last) => [first, last] },
    y: { range: (_chart, _least, most) => [0, most + 1] },
  },
  axes: [
    acrossAxis(colours, {
      title: 'Price, sats',
      text: (sats) => groupedSats(String(Math.round(sats))),
    }),
    upAxis(colours, {
      title: 'Orders up to it',
      text: (orders) => (Number.isInteger(orders) ? String(orders) : ''),
    }),
  ],
  series: [{ label: 'Price, sats' }, side('Asks', colours.bad, 1), side('Bids', colours.good, -1)],
})

function side(label: string, stroke: string, align: 1 | -1): UPlot.Series {
  const steps = UPlot.paths.stepped?.({ align })
  return {
    label,
    stroke,
    width: 2,
    points: { show: true, size: 6 },
    ...(steps && { paths: steps }),
  }
}
