import { Waiting } from '../ui/awaited/waiting.tsx'
import { btcOf, groupedSats } from '../ui/values/amounts.ts'
import { type Chosen, useVolume, type VolumeRow } from './statistics.ts'

const SPANS: Record<number, string> = { 1: '24 hours', 7: '7 days', 30: '30 days' }

/** What sold in a day, a week and a month, beside as many days before. */
export function VolumeCard({ chosen }: { chosen: Chosen }) {
  const query = useVolume(chosen)
  return (
    <section class="card" aria-labelledby="volume">
      <h2 id="volume">Volume and sales</h2>
      <Waiting query={query} />
      <div class="tiles">
        {query.data?.rows.map((row) => (
          <Tile key={row.days} row={row} />
        ))}
      </div>
    </section>
  )
}

const Tile = ({ row }: { row: VolumeRow }) => (
  <section class="tile" aria-label={SPANS[row.days] ?? `${row.days} days`}>
    <h3>{SPANS[row.days] ?? `${row.days} days`}</h3>
    <p class="figure">
      {groupedSats(row.volume_sats)} <span class="unit">sats</span>
    </p>
    <p class="quiet">
      {btcOf(row.volume_sats)} BTC <Change percent={row.volume_change_percent} />
    </p>
    <p>
      {row.sales === '1' ? '1 sale' : `${row.sales} sales`}{' '}
      <Change percent={row.sales_change_percent} />
    </p>
    <p>
      {row.sellers === '1' ? '1 seller' : `${row.sellers} sellers`}{' '}
      <Change percent={row.sellers_change_percent} />
    </p>
  </section>
)

/** Against as many days before; nothing where there was nothing then. */
function Change({ percent }: { percent: string | null }) {
  if (percent === null) return null
  const rises = !percent.startsWith('-') && percent !== '0'
  return (
    <span class="change" data-rises={percent === '0' ? undefined : rises}>
      {rises ? `+${percent}` : percent.replace('-', '\u2212')} %
    </span>
  )
}
