import { useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { shortened } from '../ui/values/identifier.tsx'
import { EventTable } from './event-table.tsx'

/** What a transaction requested, whether it had effect, and which. */
export function TransactionPage({ txid }: { txid: string }) {
  usePageTitle(`Transaction ${shortened(txid)}`)
  const query = useQuery({
    queryKey: ['pairing', 'transaction', txid],
    queryFn: async ({ signal }) => {
      const path = { txid }
      const [transaction, { events }] = await Promise.all([
        market.get('/pairing/transactions/{txid}', { path, signal }),
        market.get('/pairing/events/{txid}', { path, signal }),
      ])
      return { transaction, events }
    },
  })
  const { data } = query
  return (
    <>
      <p class="alone">
        <Link href="/console/pairing">Pairing</Link>
      </p>
      <h1>Transaction {shortened(txid)}</h1>
      <Waiting query={query} />
      {data && (
        <section class="card" aria-labelledby="effect">
          <h2 id="effect">
            {data.transaction.valid ? 'Valid' : `Without effect: ${data.transaction.reason ?? ''}`}
          </h2>
          <dl class="facts">
            <dt>Transaction</dt>
            <dd>
              <ExploredId of="tx" id={txid} name="transaction" />
            </dd>
            <dt>Place</dt>
            <dd>
              number {data.transaction.transactionIndex} of block {data.transaction.height}{' '}
              <ExploredId of="block" id={data.transaction.blockHash} name="block hash" />
            </dd>
            {data.transaction.opcode !== null && (
              <>
                <dt>Operation</dt>
                <dd>{data.transaction.opcode}</dd>
              </>
            )}
          </dl>
          <EventTable events={data.events} />
        </section>
      )}
    </>
  )
}
