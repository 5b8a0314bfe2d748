import { useQuery } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import type { OrderSummary } from 'psbt-market-client'
import { scopeFor } from '../../../src/domain/catalog/signed-by.ts'
import { market, messageOf } from '../api/market.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { useSeen } from '../ui/seen.ts'

const SAFETY: Record<string, string> = {
  PUBLIC_RACEABLE:
    'Anyone who reads this order can buy it: until your purchase confirms, another buyer may replace it.',
  TARGETED_REVIEW:
    'This ask has more inputs or outputs than its own: read all of it before you complete it.',
  UNSUPPORTED: 'This form of order is not supported: do not complete it.',
}
/** True of nearly every ask: folded once it was seen. Any other safety is shown each time. */
const USUAL = 'PUBLIC_RACEABLE'

const BID =
  'Only the owner of the wanted output can complete this bid, by signing that input: the buyer has signed all others.'

/** What the buyer of an ask, or the owner a bid is for, must know before signing; and the signed half. */
export function SigningNotes({ order, scope }: { order: OrderSummary; scope: string | undefined }) {
  const isBid = order.side === 'BID'
  const { safety } = order.inspection
  const isReleased = order.state === 'LIVE'
  const isUsual = isBid || safety === USUAL
  const artifact = useQuery({
    queryKey: ['artifact', order.id],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders/{id}/artifact', { path: { id: order.id }, signal }),
    enabled: isReleased,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const safetyText = isBid ? BID : (SAFETY[safety] ?? safety)
  const own = artifact.data?.notices ?? []
  return (
    <section class="card" aria-labelledby="signing">
      <h2 id="signing">What {isBid ? 'the owner' : 'a buyer'} must know</h2>
      {(own.length > 0 || !isUsual) && (
        <ul class="notices">
          {!isUsual && <li>{safetyText}</li>}
          {own.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      )}
      <GeneralNotes what={isBid ? 'bid' : 'ask'}>
        {isUsual && <li>{safetyText}</li>}
        {scope && <li>{scopeFor(isBid ? 'BID' : 'ASK', scope)}</li>}
        <li>What sources claim is shown, never trusted: compare it with the facts above.</li>
      </GeneralNotes>
      {artifact.isLoading && <Loading />}
      {artifact.error && <p class="quiet">{messageOf(artifact.error)}</p>}
      {isReleased && !isBid && artifact.data && (
        <details>
          <summary>The signed order as a PSBT</summary>
          <PsbtHandoff psbt={artifact.data.psbt} name={`order-${order.id}`} />
        </details>
      )}
    </section>
  )
}

/** What is true of every order of its side: open at the first, folded from then on. */
function GeneralNotes({ what, children }: { what: string; children: ComponentChildren }) {
  const wasSeen = useSeen(`notes.${what}`)
  return (
    <details open={!wasSeen}>
      <summary>{what === 'bid' ? 'True of every bid' : 'True of every ask'}</summary>
      <ul class="notices">{children}</ul>
    </details>
  )
}
