import { useEffect, useState } from 'preact/hooks'
import type { MarketClient } from 'psbt-market-client'
import { queryClient } from '../api/market.ts'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { DivergenceCard } from './divergence-card.tsx'
import { LogCard } from './log-card.tsx'
import { ModerationCard } from './moderation-card.tsx'
import { OPERATOR } from './operator.ts'
import { OperatorTools } from './operator-tools.tsx'
import { ProgressCards } from './progress-cards.tsx'
import { ReadinessCards } from './readiness-cards.tsx'
import { TokenForm } from './token-form.tsx'
import { WebhookCard } from './webhook-card.tsx'

const readAgain = () => void queryClient.invalidateQueries({ queryKey: [OPERATOR] })

/** The service's status; with an operator's token also the operators' tools, without one what they are. */
export function OperationsPage() {
  usePageTitle('Operations')
  const [operator, setOperator] = useState<MarketClient | null>(null)
  useEffect(() => {
    if (operator) return () => queryClient.removeQueries({ queryKey: [OPERATOR] })
    return undefined
  }, [operator])
  return (
    <>
      <h1>Operations</h1>
      <ReadinessCards />
      {operator ? (
        <>
          <p class="row">
            <button type="button" class="plain" onClick={() => setOperator(null)}>
              Forget the token
            </button>
            <button type="button" class="plain" onClick={readAgain}>
              Read again
            </button>
            <span class="quiet">The token is kept until this page is left.</span>
          </p>
          <ProgressCards operator={operator} />
          <LogCard operator={operator} />
          <WebhookCard operator={operator} />
          <ModerationCard operator={operator} />
          <DivergenceCard operator={operator} />
        </>
      ) : (
        <>
          <TokenForm accept={setOperator} />
          <OperatorTools />
        </>
      )}
    </>
  )
}
