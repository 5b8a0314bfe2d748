import { useQuery } from '@tanstack/preact-query'
import type { OrderSummary } from 'market-client'
import { market, messageOf } from '../api/market.ts'
import { Loading } from '../ui/loading.tsx'
import { PsbtHandoff } from '../ui/psbt-handoff.tsx'

const SAFETY: Record<string, string> = {
  PUBLIC_RACEABLE:
    'Anyone who reads this order can buy it: until your purchase confirms, another buyer may replace it.',
  TARGETED_REVIEW: 'Only the owner of the wanted output can complete this bid.',
  UNSUPPORTED: 'This form of order is not supported: do not complete it.',
}

/** What a buyer must know before anything is signed, and the signed half itself. */
export function BuyerNotes({ order, scope }: { order: OrderSummary; scope: string | undefined }) {
  const isReleased = order.state === 'LIVE'
  const artifact = useQuery({
    queryKey: ['artifact', order.id],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders/{id}/artifact', { path: { id: order.id }, signal }),
    enabled: isReleased,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <section class="card" aria-labelledby="buyer">
      <h2 id="buyer">What a buyer must know</h2>
      <ul class="notices">
        <li>{SAFETY[order.inspection.safety] ?? order.inspection.safety}</li>
        {scope && <li>{scope}</li>}
        {artifact.data?.notices?.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
        <li>What sources claim is shown, never trusted: compare it with the facts above.</li>
      </ul>
      {artifact.isLoading && <Loading />}
      {artifact.error && <p class="quiet">{messageOf(artifact.error)}</p>}
      {isReleased && artifact.data && (
        <details>
          <summary>The signed order as a PSBT</summary>
          <PsbtHandoff psbt={artifact.data.psbt} name={`order-${order.id}`} />
        </details>
      )}
    </section>
  )
}
