import { keepPreviousData, useMutation, useQuery } from '@tanstack/preact-query'
import { lazy } from 'preact/compat'
import { useRef, useState } from 'preact/hooks'
import type { Exposure } from 'psbt-market-client'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { FieldError } from '../ui/forms/faults.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { OUTPUT_CURE } from '../ui/forms/outpoints.ts'
import { pastedIn, usePaste } from '../ui/forms/paste.ts'
import { Age } from '../ui/values/age.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Identifier, shortened } from '../ui/values/identifier.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { WalletSection } from '../ui/wallet-section.tsx'
import { EndElsewhere } from './end-elsewhere.tsx'
import { knownOutpointOf } from './known-outpoint.ts'

const Ending = lazy(async () => (await import('./ending-steps.tsx')).Ending)

const STATUS: Record<Exposure['output']['status'], string> = {
  UNSPENT: 'Unspent: what is signed for it can be used.',
  UNCONFIRMED: 'Its own transaction is not in a block yet.',
  SPENT_IN_MEMPOOL:
    'A transaction of the mempool spends it; until a block does, nothing has ended.',
  SPENT: 'Spent by a block: every authorisation has ended.',
  UNKNOWN: 'The node finds neither it nor a spend of it.',
}
const TAKEABLE: Record<Exposure['authorisations'][number]['takeable'], string> = {
  NOW: 'can be taken now',
  LATER: 'can be taken later',
  ENDED: 'ended by its spend',
  UNPROVED: 'never proved',
}
/** What the node has not, or no longer: no transaction of its owner ends what is signed for it. */
const UNSPENDABLE: ReadonlySet<Exposure['output']['status']> = new Set(['SPENT', 'UNKNOWN'])
const OUTPOINT = /^[0-9a-fA-F]{64}:/

/** What an output or an address is exposed to; which one is in the page's address. */
export function ExposureForm() {
  const of = new URLSearchParams(useSearch()).get('of') ?? ''
  return (
    <>
      <ExposureCard key={of} of={of} />
      {OUTPOINT.test(of) && <EndingOf key={of} outpoint={of.toLowerCase()} />}
    </>
  )
}

function EndingOf({ outpoint }: { outpoint: string }) {
  const { data } = useExposure(outpoint, null)
  if (data && UNSPENDABLE.has(data.output.status)) return null
  return (
    <>
      <WalletSection id="end" title="End it with your wallet">
        <Ending outpoint={outpoint} />
      </WalletSection>
      <EndElsewhere outpoint={outpoint} />
    </>
  )
}

const useExposure = (outpoint: string, cursor: string | null) =>
  useQuery({
    queryKey: ['exposure', outpoint, cursor],
    queryFn: ({ signal }) =>
      market.get('/api/market/outpoints/{outpoint}', {
        path: { outpoint },
        query: { ...(cursor && { cursor }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

/** What is typed or pasted is shown at once; an inscription's id leads to its output. */
function ExposureCard({ of }: { of: string }) {
  const [, navigate] = useLocation()
  const place = useRef<HTMLDivElement>(null)
  const find = useMutation({ mutationFn: shownFor })
  // Not called for what was asked before something else was.
  const onSuccess = (found: string) =>
    navigate(`/console/sell/outputs?${new URLSearchParams({ of: found })}`)
  const fields = { outpoint: 'of', address: 'of', inscription: 'of' }
  usePaste(place, fields, ({ text }) => find.mutate(text, { onSuccess }))
  return (
    <section class="card" aria-labelledby="exposure">
      <h2 id="exposure">What is signed for an output or an address</h2>
      <p class="quiet">A withdrawal ends no signature: only a block that spends the output does.</p>
      <div ref={place}>
        <ActionForm
          action={find}
          submit={(given) => find.mutate(textIn(given, 'of'), { onSuccess })}
          button="Show"
          layout="controls"
        >
          <Field
            name="of"
            label="Output (TXID:VOUT) or address"
            hint="Paste one anywhere on this page, or an inscription that an order here names."
            isWide
          >
            {(ties) => (
              <input {...ties} required maxLength={128} defaultValue={of} autocomplete="off" />
            )}
          </Field>
        </ActionForm>
      </div>
      {OUTPOINT.test(of) && <OutputExposure outpoint={of.toLowerCase()} />}
      {of !== '' && !OUTPOINT.test(of) && <OrdersOfAddress address={of} />}
    </section>
  )
}

/** @throws FieldError for an inscription that no order here names */
async function shownFor(given: string): Promise<string> {
  const pasted = pastedIn(given)
  if (pasted === null) throw new FieldError('of', `It is neither. ${OUTPUT_CURE}`)
  if (pasted.kind !== 'inscription') return pasted.text
  const outpoint = await knownOutpointOf(pasted.text)
  if (outpoint === null)
    throw new FieldError(
      'of',
      'No order here names this inscription: give the output that holds it.',
    )
  return outpoint
}

function OutputExposure({ outpoint }: { outpoint: string }) {
  const [cursor, setCursor] = useState<string | null>(null)
  const { data, error, refetch } = useExposure(outpoint, cursor)
  if (error) return <Trouble error={error} again={() => void refetch()} />
  if (!data) return <Loading text="Asking the node…" rows={4} />
  const { output, bids } = data
  return (
    <div aria-live="polite">
      <p class="verdict">{STATUS[output.status]}</p>
      <p>
        <TakenNow of={data.lowest} />{' '}
        {bids.total > 0 && output.status !== 'SPENT' && (
          <>
            It pays for {bids.total === 1 ? 'a bid' : `${bids.total} bids`}: the owner of what is
            bid for may complete that, which spends it.
          </>
        )}{' '}
        <span class="quiet">
          As of block {data.nodeTip.height}, <Age at={data.observedAt} />.
        </span>
      </p>
      <AuthorisationTable rows={[...data.authorisations, ...data.unproved]} />
      {data.hasMore && (
        <button type="button" class="plain" onClick={() => setCursor(data.nextCursor)}>
          Older ones
        </button>
      )}
      <PaidBids {...bids} />
      <ul class="notices">
        {data.notices.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </div>
  )
}

/** What the asks that were looked at say: that of a bid is said beside it. */
function TakenNow({ of: { now, complete } }: { of: Exposure['lowest'] }) {
  if (now)
    return (
      <>
        Whoever has the PSBT can take it now for <Amount sats={now.signedPriceSats} />.
      </>
    )
  if (complete) return <>No ask seen here lets anyone take it now.</>
  return (
    <>
      Whether an ask lets anyone take it now is not known: there are more of them than were looked
      at.
    </>
  )
}

function AuthorisationTable({ rows }: { rows: Exposure['authorisations'] }) {
  if (rows.length === 0)
    return (
      <p class="empty">
        No ask of this output was ever proved here.{' '}
        <Link href="/console/sell/safe">Check whether it is safe to spend</Link>
      </p>
    )
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Signed price, sats
          </th>
          <th scope="col">Taken</th>
          <th scope="col">First seen</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((one) => (
          <tr key={one.orderId}>
            <th scope="row">
              <Link href={`/console/orders/${one.orderId}`}>{shortened(one.orderId)}</Link>
            </th>
            <td data-label="State">
              <StateBadge state={one.state} />
              <span class="under">{one.reason}</span>
            </td>
            <td data-label="Signed price, sats" class="number">
              {one.signedPriceSats === null ? '–' : groupedSats(one.signedPriceSats)}
            </td>
            <td data-label="Taken">{TAKEABLE[one.takeable]}</td>
            <td data-label="First seen">
              <Age at={one.firstSeenAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Bids that its owner signed: they spend it where they are completed. */
function PaidBids({ newest, total }: Exposure['bids']) {
  if (total === 0) return null
  return (
    <>
      <h3>Bids that it pays for ({total})</h3>
      <ul class="changes">
        {newest.map((bid) => (
          <li key={bid.orderId}>
            <Link href={`/console/orders/${bid.orderId}`}>Bid {shortened(bid.orderId)}</Link>{' '}
            <StateBadge state={bid.state} />{' '}
            {bid.signedPriceSats !== null && <Amount sats={bid.signedPriceSats} />} for{' '}
            <Identifier id={bid.outpoint} name="output" /> first seen <Age at={bid.firstSeenAt} />
          </li>
        ))}
      </ul>
      {total > newest.length && <p class="quiet">Only the newest are shown.</p>}
    </>
  )
}

/** The offered outputs of an address, each with the way to its exposure. */
function OrdersOfAddress({ address }: { address: string }) {
  const [cursor, setCursor] = useState<string | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['orders', 'of', address, cursor],
    queryFn: ({ signal }) =>
      market.get('/api/market/addresses/{address}/orders', {
        path: { address },
        query: { includeWithdrawn: 'true', ...(cursor && { cursor }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  if (error) return <Trouble error={error} again={() => void refetch()} />
  if (!data) return <Loading text="Loading the orders…" rows={3} />
  if (data.orders.length === 0)
    return (
      <p class="empty">
        No order of this address. <Link href="/console/sell">List one</Link>
      </p>
    )
  return (
    <div aria-live="polite">
      <ul class="changes">
        {data.orders.map((order) => (
          <li key={order.id}>
            <Link href={`/console/orders/${order.id}`}>Order {shortened(order.id)}</Link>{' '}
            <StateBadge state={order.state} />{' '}
            {order.quotedPriceSats && <Amount sats={order.quotedPriceSats} />}
            {order.inspection.inputOutpoints.map(({ txid, vout }) => (
              <div key={`${txid}:${vout}`}>
                <Link href={`/console/sell/outputs?of=${txid}:${vout}`}>
                  Exposure of {shortened(txid)}:{vout}
                </Link>
              </div>
            ))}
          </li>
        ))}
      </ul>
      {data.hasMore && (
        <button type="button" class="plain" onClick={() => setCursor(data.nextCursor)}>
          Next page
        </button>
      )}
    </div>
  )
}
