import type { OrderState, OrderSummary } from 'psbt-market-client'
import { forSide } from '../../../src/domain/catalog/signed-by.ts'
import { useHealth } from '../api/health.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { Age } from '../ui/values/age.tsx'
import { useFromNow } from '../ui/values/now.ts'
import { Reason } from '../ui/values/reason.tsx'
import { useNewestVersions } from './versions.ts'

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

function sentencesOf({ state, side, validation }: OrderSummary): string {
  const said = forSide(side, SENTENCES[state] ?? state)
  const unseen = validation.reasons.flatMap((reason) => NOT_EXAMINED[reason] ?? [])
  return unseen.length === 0 ? said : `${said} Not examined: ${unseen.join(', ')}.`
}

const MS = 1_000

/** States whose sentence says all: the rest is opened on demand. */
const CALM: ReadonlySet<OrderState> = new Set(['LIVE', 'SETTLED', 'WITHDRAWN'])

/** What was decided, as one line that opens on why. */
export function VerdictCard({ order }: { order: OrderSummary }) {
  const { validation, withdrawal } = order
  const { data: health } = useHealth()
  const isOld = useFromNow((nowMs) => {
    const age = (nowMs - Date.parse(validation.checkedAt)) / MS
    return health !== undefined && age > health.maxVerificationAgeSeconds
  })
  const isStale = isOld && order.state === 'LIVE'
  return (
    <section class="card fold" aria-label="Verdict">
      <details open={!CALM.has(order.state)}>
        <summary class="verdict">
          <VerdictMark state={order.state} />
          <span>{sentencesOf(order)}</span>
        </summary>
        <VerdictFacts order={order} />
      </details>
      {withdrawal?.reason && (
        <p>
          The reason given: <q class="stranger">{withdrawal.reason}</q>
        </p>
      )}
      {isStale && <p class="stale">The last verification is too old: this order is review only.</p>}
    </section>
  )
}

/** A tick, a cross, or that it is awaited: the sentence beside it says the same. */
const VerdictMark = ({ state }: { state: OrderState }) => (
  <span class="verdict-mark" data-state={state} aria-hidden="true">
    {MARKS[state] ?? '•'}
  </span>
)

const MARKS: Partial<Record<OrderState, string>> = {
  LIVE: '✓',
  SETTLED: '✓',
  REJECTED: '✗',
  SPENT: '✗',
}

/** States that a spend decided, whose block the node's tip comes before. */
const BY_SPEND: ReadonlySet<OrderState> = new Set(['SETTLED', 'SPENT', 'MEMPOOL_CONFLICTED'])

/** Why, and at which block, mempool and index. */
function VerdictFacts({ order }: { order: OrderSummary }) {
  const { validation, state } = order
  const { data: health } = useHealth()
  const { versions, isPending } = useNewestVersions(order.id)
  const evidence = versions.find((one) => one.evidence !== null)?.evidence
  const spend = versions.find((one) => one.spendTxid !== null)
  return (
    <>
      <ul class="notices">
        {validation.reasons.map((reason) => (
          <li key={reason}>
            <Reason reason={reason} side={order.side} />
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
        {BY_SPEND.has(state) && (isPending || spend) && (
          <>
            <dt>Spent</dt>
            <dd>
              {spend?.spendHeight === null
                ? 'in the mempool'
                : `in block ${spend?.spendHeight ?? '…'}`}
            </dd>
          </>
        )}
        {validation.nodeTip && (
          <>
            <dt>{BY_SPEND.has(state) ? 'Block before' : 'Block'}</dt>
            <dd>
              {validation.nodeTip.height}{' '}
              <ExploredId of="block" id={validation.nodeTip.hash} name="block hash" />
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
      </dl>
    </>
  )
}
