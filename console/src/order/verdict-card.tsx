import type { OrderState, OrderSummary } from 'psbt-market-client'
import { useHealth } from '../api/health.ts'
import { Age } from '../ui/age.tsx'
import { Identifier } from '../ui/identifier.tsx'
import { useNow } from '../ui/now.ts'
import { Reason } from '../ui/reason.tsx'
import { useVersions } from './versions.ts'

const SENTENCES: Record<OrderState, string> = {
  PENDING_NODE: 'Not judged yet: the full node has not answered, or something must pass first.',
  PENDING_ASSET: 'Not judged yet: the asset index has not examined the offered output.',
  LIVE: 'Proved: the offered output is unspent, and exactly this was signed for it.',
  MEMPOOL_CONFLICTED: 'A transaction of the mempool spends the offered output.',
  SPENT: 'Over: a confirmed transaction spent the output without the payout of this order.',
  SETTLED: 'Sold: a confirmed transaction spent the output and carries the exact payout.',
  REJECTED: 'Refused: what was claimed is not so.',
  WITHDRAWN: 'Withdrawn from this market. Only spending the output ends the authorisation.',
}

/** What a LIVE order may hold besides, by the remark that no index looked. */
const NOT_EXAMINED: Readonly<Record<string, string>> = {
  assets_not_examined: 'what else the output holds',
  runes_not_examined: 'runes',
}

function sentencesOf({ state, validation }: OrderSummary): string {
  const said = SENTENCES[state] ?? state
  const unseen = validation.reasons.flatMap((reason) => NOT_EXAMINED[reason] ?? [])
  return unseen.length === 0 ? said : `${said} Not examined: ${unseen.join(', ')}.`
}

const MS = 1_000

const confirmationsText = (count: number): string =>
  count === 0 ? 'in no block yet' : `${count} confirmation${count === 1 ? '' : 's'}`

/** What was decided, when, and at which block, mempool and index. */
export function VerdictCard({ order }: { order: OrderSummary }) {
  const { validation, settlement, withdrawal } = order
  const { data: health } = useHealth()
  const now = useNow()
  const { data: history, isPending } = useVersions(order.id)
  const evidence = history?.versions.find((one) => one.evidence !== null)?.evidence
  const age = (now - Date.parse(validation.checkedAt)) / MS
  const isStale = health && order.state === 'LIVE' && age > health.maxVerificationAgeSeconds
  return (
    <section class="card" aria-labelledby="verdict">
      <h2 id="verdict">Verdict</h2>
      <p class="verdict">{sentencesOf(order)}</p>
      {withdrawal?.reason && (
        <p>
          The reason given: <q class="stranger">{withdrawal.reason}</q>
        </p>
      )}
      {isStale && (
        <p class="stale">The last verification is too old: this order is only to review.</p>
      )}
      <ul class="notices">
        {validation.reasons.map((reason) => (
          <li key={reason}>
            <Reason reason={reason} />
          </li>
        ))}
      </ul>
      <h3>As of</h3>
      <dl class="facts">
        <dt>Checked</dt>
        <dd>
          <Age at={validation.checkedAt} />
          {health && order.state === 'LIVE' && ` (fresh for ${health.maxVerificationAgeSeconds} s)`}
        </dd>
        {validation.nodeTip && (
          <>
            <dt>Block</dt>
            <dd>
              {validation.nodeTip.height}{' '}
              <Identifier id={validation.nodeTip.hash} name="block hash" />
            </dd>
          </>
        )}
        {(isPending || (evidence && evidence.mempoolSequence !== null)) && (
          <>
            <dt>Mempool</dt>
            <dd>{evidence ? `sequence ${evidence.mempoolSequence}` : '…'}</dd>
          </>
        )}
        {(isPending || evidence?.index.status === 'ready') && (
          <>
            <dt>Index</dt>
            <dd>
              {evidence?.index.status === 'ready'
                ? `block ${evidence.index.at.height}, ${evidence.index.at.version}`
                : '…'}
            </dd>
          </>
        )}
        <dt>Node</dt>
        <dd>{validation.nodeStatus.toLowerCase().replaceAll('_', ' ')}</dd>
        <dt>Asset</dt>
        <dd>{validation.assetStatus.toLowerCase().replaceAll('_', ' ')}</dd>
        {settlement && (
          <>
            <dt>{settlement.confirmations > 0 ? 'Settled by' : 'Paid by'}</dt>
            <dd>
              <Identifier id={settlement.txid} name="transaction" />,{' '}
              {confirmationsText(settlement.confirmations)}
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}
