import type { CircleSnapshot, CircleState } from 'psbt-market-client'
import { Identifier } from '../ui/values/identifier.tsx'

interface Hashed {
  state: CircleState
  snapshot: CircleSnapshot
  /** Null: this browser cannot compute a hash here. */
  computed: string | null
}

/** The hash of the state: as the service states it, as this page computes it, and how to do it oneself. */
export function HashCard({ state, snapshot, computed }: Hashed) {
  const isSameRevision = snapshot.revision === state.revision
  return (
    <section class="card" aria-labelledby="hash">
      <h2 id="hash">The hash</h2>
      <dl class="facts">
        <dt>Stated</dt>
        <dd>
          <Identifier id={state.stateHash} name="state hash" /> at revision {state.revision}
        </dd>
        <dt>Computed</dt>
        <dd>
          {computed ? (
            <>
              <Identifier id={computed} name="computed hash" /> at revision {snapshot.revision}
            </>
          ) : (
            'A browser computes it only for local pages and over HTTPS.'
          )}
        </dd>
      </dl>
      {computed && isSameRevision && (
        <p class={computed === state.stateHash ? 'verdict' : 'stale'}>
          {computed === state.stateHash
            ? 'The same: this browser hashed the whole snapshot itself.'
            : 'They differ: do not rely on this service.'}
        </p>
      )}
      <details>
        <summary>Check it yourself</summary>
        <pre class="told">
          {[
            `curl -s ${location.origin}/circles/snapshot | sha256sum`,
            `market circles snapshot ${location.origin} --out a.json`,
            'market circles verify a.json',
          ].join('\n')}
        </pre>
        <p class="quiet">
          A snapshot does not show whether its chain is the best one: compare the hash with that of
          a second service.
        </p>
      </details>
    </section>
  )
}
