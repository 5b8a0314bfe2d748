import { useMutation } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { BytesField } from '../ui/forms/bytes-field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { withoutSpace } from '../ui/forms/pasted-bytes.ts'
import { NetNotice, type Paid } from '../ui/values/net-notice.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'

interface Signed {
  psbt: string
  /** Its seller knows that it is sold at a loss. */
  isGift: boolean
}

type PublishOutcome = { published: OrderSummary } | { loss: Paid; psbt: string }

/** Publishes the ask, unless it sells at a loss that the seller has not confirmed. */
async function publishOrAsk({ psbt, isGift }: Signed): Promise<PublishOutcome> {
  const loss = isGift ? null : await lossOf(psbt)
  if (loss) return { loss, psbt }
  return { published: await market.post('/api/market/orders/publish', { body: { psbt } }) }
}

async function lossOf(psbt: string): Promise<Paid | null> {
  const { problems, flow } = await market.post('/api/market/orders/inspect', { body: { psbt } })
  const isLoss = problems.some(({ code }) => code === 'payout_below_input')
  return isLoss && flow ? { paid: flow.payoutSats, held: flow.sellerInputSats } : null
}

export function PublishForm() {
  const publish = useMutation({ mutationFn: publishOrAsk })
  return (
    <>
      <p class="quiet">It is published only if it is valid and live; otherwise nothing is kept.</p>
      <ActionForm
        action={publish}
        stays={!publish.data || 'published' in publish.data}
        submit={(given) =>
          publish.mutate({ psbt: withoutSpace(textIn(given, 'psbt')), isGift: false })
        }
        button="Publish"
        pending="Verifying…"
        show={(outcome) => (
          <OutcomeView outcome={outcome} give={(psbt) => publish.mutate({ psbt, isGift: true })} />
        )}
      >
        <BytesField name="psbt" label="Signed PSBT, base64 or hexadecimal" />
      </ActionForm>
    </>
  )
}

function OutcomeView({ outcome, give }: { outcome: PublishOutcome; give: (psbt: string) => void }) {
  if ('loss' in outcome)
    return (
      <>
        <NetNotice {...outcome.loss} />
        <p>Nothing was published.</p>
        <button type="button" onClick={() => give(outcome.psbt)}>
          It is a gift: publish it
        </button>
      </>
    )
  const { id, state } = outcome.published
  return (
    <p class="verdict">
      Published: <Link href={`/console/orders/${id}`}>your order</Link> is{' '}
      <StateBadge state={state} />
    </p>
  )
}
