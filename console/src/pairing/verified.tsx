import { useEffect, useState } from 'preact/hooks'
import type {
  ParametersOf,
  VerifiedAgreement,
  VerifiedOutcome,
  VerifiedPath,
} from 'psbt-market-client'
import { market, messageOf } from '../api/market.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { Loading } from '../ui/awaited/loading.tsx'
import { ageText } from '../ui/values/age.tsx'
import { Identifier } from '../ui/values/identifier.tsx'

const EVERY_MS = 15_000

interface WatchedOutcome<P extends VerifiedPath> {
  outcome: VerifiedOutcome<P> | null
  error: unknown
}

/** A verified read, repeated; the last verified value is kept while there is nothing newer. */
export function useVerified<P extends VerifiedPath>(
  path: P,
  parameters: ParametersOf<P>,
): WatchedOutcome<P> {
  const [watched, setWatched] = useState<WatchedOutcome<P>>({ outcome: null, error: null })
  const key = JSON.stringify(parameters)
  useEffect(() => {
    const end = new AbortController()
    const reader = market.verified<P>(path, JSON.parse(key))
    const watch = async () => {
      const outcomes = reader.watch({ intervalMs: EVERY_MS, signal: end.signal })
      for await (const outcome of outcomes) setWatched({ outcome, error: null })
    }
    setWatched({ outcome: null, error: null })
    watch().catch((error: unknown) => {
      if (!end.signal.aborted) setWatched({ outcome: null, error })
    })
    return () => end.abort(new Error('the page was left'))
  }, [path, key])
  return watched
}

/** Whether both pipelines vouch for what is shown, since when, and what they signed. */
export function VerifiedState<P extends VerifiedPath>({ outcome, error }: WatchedOutcome<P>) {
  if (error) return <p class="stale">{messageOf(error)}</p>
  if (!outcome) return <Loading text="Asking both pipelines…" />
  if (outcome.status === 'unknown')
    return <p class="stale">Not verified: {messageOf(outcome.cause)}</p>
  if (outcome.status === 'absent')
    return <p class="stale">This pipeline has no such record, and nothing was verified.</p>
  return (
    <>
      {outcome.status === 'verified' ? (
        <p class="verdict">Both pipelines signed the checkpoint of this answer.</p>
      ) : (
        <p class="stale">
          Verified {ageText(outcome.ageMs / 1_000)} ago, and withheld since: the pipelines do not
          agree now. Rely on nothing newer.
        </p>
      )}
      <AgreementFacts agreement={outcome.agreement} />
    </>
  )
}

const AgreementFacts = ({ agreement }: { agreement: VerifiedAgreement }) => (
  <dl class="facts">
    <dt>Block</dt>
    <dd>
      {agreement.height} <ExploredId of="block" id={agreement.blockHash} name="block hash" />
    </dd>
    <dt>Checkpoint</dt>
    <dd>
      <Identifier id={agreement.checkpointHash} name="checkpoint hash" />
    </dd>
    <dt>Signed by</dt>
    <dd>
      A with key {agreement.keyIds.A}, B with key {agreement.keyIds.B}
    </dd>
  </dl>
)
