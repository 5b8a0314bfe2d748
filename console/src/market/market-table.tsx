import { Link } from 'wouter-preact'
import { useMarketOf } from '../api/catalog.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { AllRows, SaveCsv } from './save-csv.tsx'
import { Since } from './since.tsx'
import { type Chosen, type MarketRow, useMarkets } from './statistics.ts'

// Bids with their postage, as asks have theirs: the two can be compared.
const HEADS = [
  'Live asks',
  'Live bids',
  'Floor, sats',
  'Best bid with postage, sats',
  'Total asked, sats',
]

/** Every market and token now, with its floor and best bid. */
export function MarketTable({ chosen }: { chosen: Chosen }) {
  const query = useMarkets(chosen)
  const { data } = query
  return (
    <section class="card" aria-labelledby="now" aria-busy={query.isPlaceholderData}>
      <div class="page-head">
        <h2 id="now">Now</h2>
        {data && data.rows.length > 0 && (
          <>
            <SaveCsv rows={data.rows} name="market" isOld={query.isPlaceholderData} />
            <AllRows statistic="market" chosen={chosen} />
          </>
        )}
      </div>
      <Since query={query} />
      <Waiting query={query} />
      {data?.rows.length === 0 && (
        <p class="empty">
          No live order. <Link href="/console/sell">List one</Link>
        </p>
      )}
      {data && data.rows.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Collection</th>
              {HEADS.map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <Row key={JSON.stringify([row.protocol_id, row.token])} row={row} />
            ))}
          </tbody>
        </table>
      )}
      {data?.hasMore && <p class="quiet">There are more: choose a collection type or a token.</p>}
    </section>
  )
}

const sats = (amount: string | null): string => (amount === null ? '–' : groupedSats(amount))

function Row({ row }: { row: MarketRow }) {
  const search = new URLSearchParams()
  if (row.protocol_id !== null) search.set('protocol', row.protocol_id)
  if (row.token !== null) search.set('token', row.token)
  const label = useMarketOf(row.protocol_id ?? undefined)?.label ?? row.protocol_id
  const name = [label, row.token].filter((one) => one !== null).join(' · ')
  const cells = [
    row.live_asks,
    row.live_bids,
    sats(row.floor_sats),
    sats(row.best_bid_sats),
    sats(row.asked_sats),
  ]
  return (
    <tr>
      <th scope="row">
        {name === '' ? (
          'without a collection'
        ) : (
          <Link href={`/console/market?${search}`}>
            <bdi class="stranger">{name}</bdi>
          </Link>
        )}
      </th>
      {cells.map((cell, at) => (
        <td key={HEADS[at]} data-label={HEADS[at]} class="number">
          {cell}
        </td>
      ))}
    </tr>
  )
}
