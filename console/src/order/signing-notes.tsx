import { useQuery } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { scopeFor } from '../../../src/domain/catalog/signed-by.ts'
import { market, messageOf } from '../api/market.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { Fold } from '../ui/fold.tsx'
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

interface Notes {
  order: OrderSummary
  scope: string | undefined
  /** There is room for it: else it is open where it says what was not seen before, or is unusual. */
  isOpen: boolean
}

/** What the buyer of an ask, or the owner a bid is for, must know before signing; and the signed half. */
export function SigningNotes({ order, scope, isOpen }: Notes) {
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
  const wasSeen = useSeen(`notes.${isBid ? 'bid' : 'ask'}`)
  return (
    <Fold
      id="signing"
      title={`What ${isBid ? 'the owner' : 'a buyer'} must know`}
      isOpen={isOpen || !wasSeen || !isUsual}
    >
      {(own.length > 0 || !isUsual) && (
        <ul class="notices">
          {!isUsual && <li>{safetyText}</li>}
          {own.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      )}
      {/* Open at the first, folded from then on. */}
      <details open={!wasSeen}>
        <summary>{isBid ? 'True of every bid' : 'True of every ask'}</summary>
        <ul class="notices">
          {isUsual && <li>{safetyText}</li>}
          {scope && <li>{scopeFor(isBid ? 'BID' : 'ASK', scope)}</li>}
          <li>What sources claim is shown, never trusted: compare it with the facts above.</li>
        </ul>
      </details>
      {artifact.isLoading && <Loading />}
      {artifact.error && <p class="quiet">{messageOf(artifact.error)}</p>}
      {isReleased && !isBid && artifact.data && (
        <details>
          <summary>The signed order as a PSBT</summary>
          <PsbtHandoff psbt={artifact.data.psbt} name={`order-${order.id}`} />
        </details>
      )}
    </Fold>
  )
}
