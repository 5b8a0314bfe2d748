import type { Evidence, OrderSummary, OrderVersion } from 'psbt-market-client'
import { ExploredId } from '../content/explored-id.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Fold } from '../ui/fold.tsx'
import { Age } from '../ui/values/age.tsx'
import { Reason } from '../ui/values/reason.tsx'
import { stateWords } from '../ui/values/state-badge.tsx'
import { useVersions } from './versions.ts'

/** Every change, newest first, with who made it, what caused it, and the evidence it rests on. */
export function ChangeList({ order: { id, side } }: { order: Pick<OrderSummary, 'id' | 'side'> }) {
  const query = useVersions(id)
  const { data } = query
  return (
    <Fold id="changes" title="Every change" note={data && `${data.versions.length} so far`}>
      <Waiting query={query} isOpened />
      {data?.isWithheld && (
        <p class="quiet">An operator has hidden this order: texts and evidence are withheld.</p>
      )}
      {data && (
        <ol class="changes">
          {data.versions.map((version) => (
            <Change key={version.seq} version={version} side={side} />
          ))}
        </ol>
      )}
      {data?.isCut && <p class="quiet">The newest changes are only in the bundle.</p>}
    </Fold>
  )
}

interface ChangeParts {
  version: OrderVersion
  side: OrderSummary['side']
}

function Change({ version, side }: ChangeParts) {
  const { fromState, state, evidence } = version
  return (
    <li>
      <strong>
        {fromState === state ? stateWords(state) : fromTo(version)}
        {version.kind !== 'transition' && ` (${version.kind})`}
      </strong>{' '}
      <span class="quiet">
        <Age at={version.observedAt} />, change {version.seq}, by {version.actor}
        {version.cause && `, caused by ${version.cause}`}
      </span>
      <div>
        <Reason reason={version.reason} isNoted={version.kind === 'noted'} side={side} />
      </div>
      {version.spendTxid && (
        <div>
          spent{' '}
          {version.spendHeight === null ? 'in the mempool' : `in block ${version.spendHeight}`} by{' '}
          <ExploredId of="tx" id={version.spendTxid} name="spending transaction" />
        </div>
      )}
      {evidence && (
        <details>
          <summary>Evidence</summary>
          <EvidenceView evidence={evidence} />
        </details>
      )}
    </li>
  )
}

const fromTo = ({ fromState, state }: OrderVersion): string =>
  fromState === null ? stateWords(state) : `${stateWords(fromState)} → ${stateWords(state)}`

function EvidenceView({
  evidence: { node, index, mempoolSequence, answeredAt },
}: {
  evidence: Evidence
}) {
  return (
    <dl class="facts">
      <dt>Answered</dt>
      <dd>
        <Age at={answeredAt} />
      </dd>
      <dt>Node</dt>
      <dd>
        {node.status === 'ready' ? (
          <>
            output {node.output.status}, block {node.tip.height}{' '}
            <ExploredId of="block" id={node.tip.hash} name="block hash" />
          </>
        ) : (
          node.reason.replaceAll('_', ' ')
        )}
      </dd>
      {mempoolSequence !== null && (
        <>
          <dt>Mempool</dt>
          <dd>sequence {mempoolSequence}</dd>
        </>
      )}
      {node.status === 'ready' && node.signatures.length > 0 && (
        <>
          <dt>Signatures</dt>
          <dd>
            {node.signatures
              .map(
                ({ status, by }) =>
                  `${status.toLowerCase()} by ${by === 'node' ? 'the node' : 'own check'}`,
              )
              .join(', ')}
          </dd>
        </>
      )}
      <dt>Index</dt>
      <dd>
        {index.status === 'ready'
          ? `block ${index.at.height}, ${index.at.version}: ${index.inscriptions?.length ?? 0} inscriptions`
          : index.reason.replaceAll('_', ' ')}
      </dd>
    </dl>
  )
}
