import { Link } from 'wouter-preact'
import { ExploredId } from '../content/explored-id.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Age } from '../ui/values/age.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { shortened } from '../ui/values/identifier.tsx'
import { NoSale } from './no-sale.tsx'
import { AllRows, SaveCsv } from './save-csv.tsx'
import { Since } from './since.tsx'
import { type Chosen, useSales } from './statistics.ts'

const sats = (amount: string | null): string => (amount === null ? '–' : groupedSats(amount))

/** The newest sales; those that a reorganisation reverted are marked. */
export function SaleTable({ chosen }: { chosen: Chosen }) {
  const query = useSales(chosen)
  const { data } = query
  return (
    <section class="card" aria-labelledby="sales">
      <div class="page-head">
        <h2 id="sales">Recent sales</h2>
        {data && data.rows.length > 0 && (
          <>
            <SaveCsv rows={data.rows} name="sales" />
            <AllRows statistic="sales" chosen={chosen} />
          </>
        )}
      </div>
      <Since query={query} />
      <Waiting query={query} />
      {data?.rows.length === 0 && (
        <p class="empty">
          <NoSale />
        </p>
      )}
      {data && data.rows.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Order</th>
              <th scope="col">Sold</th>
              <th scope="col" class="number">
                Price, sats
              </th>
              <th scope="col" class="number">
                Net, sats
              </th>
              <th scope="col">Transaction</th>
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <tr key={`${row.order_id} ${row.txid} ${row.settled_at}`}>
                <th scope="row">
                  <Link href={`/console/orders/${row.order_id}`}>{shortened(row.order_id)}</Link>
                  <span class="under">
                    <bdi class="stranger">{row.token ?? row.protocol_id ?? ''}</bdi>
                  </span>
                </th>
                <td data-label="Sold">
                  <Age at={row.sold_at} />
                  {row.block_height !== null && <span class="under">block {row.block_height}</span>}
                  {row.is_taken_back && <span class="under stale">reversed by a reorg</span>}
                </td>
                <td data-label="Price, sats" class="number">
                  {sats(row.gross_price_sats)}
                </td>
                <td data-label="Net, sats" class="number">
                  {sats(row.net_price_sats)}
                </td>
                <td data-label="Transaction">
                  <ExploredId of="tx" id={row.txid} name="transaction" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
