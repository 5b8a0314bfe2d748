import { lazy } from 'preact/compat'
import { useRef, useState } from 'preact/hooks'
import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { WalletSection } from '../ui/wallet-section.tsx'
import { AcceptCard } from './accept-card.tsx'
import { PreflightForm } from './preflight-form.tsx'
import { QuoteForm } from './quote-form.tsx'

const Buying = lazy(async () => (await import('./buy-steps.tsx')).Buying)

interface NextStepParts {
  order: OrderSummary
  isOver: boolean
  /** What is shown of the order is not of now. */
  isLost: boolean
}

/** What can be done with it now: buy it, accept it, or look for another. */
export function NextStep({ order, isOver, isLost }: NextStepParts) {
  if (order.side !== 'BID') return <BuyStep order={order} isOver={isOver} isLost={isLost} />
  if (isOver) return <NotForSale />
  if (order.state !== 'LIVE') return null
  return (
    <>
      {isLost && <NotKnown />}
      <div class="steps" hidden={isLost}>
        <AcceptCard order={order} />
      </div>
    </>
  )
}

/** How a purchase was made in this page. */
type Way = 'wallet' | 'elsewhere'

/** What is typed stays while the order is not ready for a moment, or its page has no connection. */
function BuyStep({ order, isOver, isLost }: NextStepParts) {
  const isForSale = order.actionability === 'HANDOFF_READY'
  const wasForSale = useRef(isForSale)
  wasForSale.current ||= isForSale
  // It stays to be read, whatever becomes of the order: a checked transaction may not be broadcast yet.
  const [bought, setBought] = useState<Way | null>(null)
  const isClosed = isOver || isLost
  const isOffered = wasForSale.current && !isOver
  const showsWay = (way: Way) => bought === way || !isClosed
  return (
    <>
      {isOver && bought === null && <NotForSale />}
      {isLost && isOffered && bought === null && <NotKnown />}
      {(isOffered || bought === 'wallet') && (
        <div class="steps" hidden={!showsWay('wallet')} data-closed={isClosed || undefined}>
          <WalletSection
            id="buy"
            title={isClosed ? 'What you bought here' : 'Buy it with your wallet'}
          >
            <Buying order={order} bought={() => setBought('wallet')} />
          </WalletSection>
        </div>
      )}
      {(isOffered || bought === 'elsewhere') && (
        <details
          class="card elsewhere"
          hidden={!showsWay('elsewhere')}
          data-closed={isClosed || undefined}
        >
          <summary>{isClosed ? 'What you bought here' : 'Or sign elsewhere'}</summary>
          <div hidden={isClosed}>
            <QuoteForm order={order} />
          </div>
          <PreflightForm orderId={order.id} bought={() => setBought('elsewhere')} />
        </details>
      )}
    </>
  )
}

const NotForSale = () => (
  <p class="empty">
    It is not for sale. <Link href="/">See what is for sale</Link>
  </p>
)

const NotKnown = () => (
  <p class="empty">Whether it can be had is not known: the page has no newer word of it.</p>
)
