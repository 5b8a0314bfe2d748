import { useQuery } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { priceOf } from '../book/postage.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { NetNotice } from '../ui/values/net-notice.tsx'

/** How the owner of what is wanted accepts a bid: the signature that is missing is the owner's own. */
export function AcceptCard({ order }: { order: OrderSummary }) {
  const artifact = useQuery({
    queryKey: ['artifact', order.id],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders/{id}/artifact', { path: { id: order.id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { paid, postage, net } = priceOf(order)
  return (
    <section class="card" aria-labelledby="accept">
      <h2 id="accept">Accept it as the owner</h2>
      {paid !== null && postage !== null && net?.startsWith('-') && (
        <NetNotice paid={paid} held={postage} />
      )}
      <ol class="notices">
        <li>Take the PSBT to the wallet that holds the wanted output.</li>
        <li>Sign its input alone: all else is signed, and must stay as it is.</li>
        <li>
          Broadcast what it signed, by your node, your wallet or a block explorer: this service
          broadcasts nothing.
        </li>
      </ol>
      <Waiting query={artifact} isOpened />
      {artifact.data && (
        <details>
          <summary>The bid as a PSBT</summary>
          <PsbtHandoff psbt={artifact.data.psbt} name={`bid-${order.id}`} />
        </details>
      )}
    </section>
  )
}
