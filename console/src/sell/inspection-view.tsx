import { Fragment } from 'preact'
import type { InspectionProblem, InspectResult } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { Identifier } from '../ui/values/identifier.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'

const EFFECTS: Record<InspectionProblem['effect'], string> = {
  REFUSED: 'it is not listed',
  NOT_LIVE: 'its order would not be live',
  NOTED: 'shown with it, and no more',
}

export function InspectionView({ result }: { result: InspectResult }) {
  const { order, verdict, problems, refusedAs, repaired } = result
  return (
    <>
      <p class="verdict">
        {refusedAs === null ? 'It would be listed' : `It would be refused: ${refusedAs}`}
        {verdict && refusedAs === null && (
          <>
            {' '}
            as <StateBadge state={verdict.state} />
          </>
        )}
        .
      </p>
      {order && (
        <p>
          Order <Identifier id={order.id} name="order" />
          {order.exists && (
            <>
              , <Link href={`/console/orders/${order.id}`}>listed here already</Link>
            </>
          )}
          .
        </p>
      )}
      <h3>{problems.length === 0 ? 'No problem was found' : 'Problems'}</h3>
      <ul class="problems">
        {problems.map((problem, at) => (
          <Problem key={`${at} ${problem.code}`} problem={problem} />
        ))}
      </ul>
      {repaired && (
        <>
          <h3>Repaired</h3>
          <p class="quiet">The same authorisation without: {repaired.mends.join(', ')}.</p>
          <PsbtHandoff psbt={repaired.psbt} name={`repaired-${repaired.orderId}`} />
        </>
      )}
      {result.flow && <FlowView flow={result.flow} />}
    </>
  )
}

function Problem({ problem }: { problem: InspectionProblem }) {
  const { pointer, input, output } = problem.place
  const place = [
    pointer || 'the whole',
    ...(input === undefined ? [] : [`input ${input}`]),
    ...(output === undefined ? [] : [`output ${output}`]),
  ].join(', ')
  return (
    <li data-effect={problem.effect}>
      <strong class="stranger">{problem.message}</strong>
      <span class="under">
        <code>{problem.code}</code> · {place} · {EFFECTS[problem.effect]}
      </span>
      <span class="remedy">Remedy: {problem.remedy}</span>
    </li>
  )
}

function FlowView({ flow }: { flow: NonNullable<InspectResult['flow']> }) {
  const rows: [string, string | undefined][] = [
    ['Buyer pays for it', flow.grossPriceSats],
    ['Seller is paid', flow.payoutSats],
    ['Postage, to the buyer', flow.postageSats],
    ['Net for the seller', flow.netPriceSats],
    ['Fee of this market', flow.marketplaceFeeSats],
    ['Royalty', flow.creatorRoyaltySats],
    ['Network fee', flow.networkFeeSats],
  ]
  return (
    <>
      <h3>Who pays what</h3>
      <dl class="facts">
        {rows.map(
          ([name, sats]) =>
            sats !== undefined && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>
                  <Amount sats={sats} />
                </dd>
              </Fragment>
            ),
        )}
      </dl>
      <p class="quiet">
        The value of the offered output is {flow.valueFrom === 'NODE' ? 'the node’s' : 'the PSBT’s'}
        .
      </p>
    </>
  )
}
