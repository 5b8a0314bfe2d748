import { useQuery } from '@tanstack/preact-query'
import { ApiError, type HealthReport, type ReadinessSnapshot } from 'psbt-market-client'
import { useHealth } from '../api/health.ts'
import { market } from '../api/market.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Age } from '../ui/values/age.tsx'

const EVERY_MS = 15_000
const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no')
const known = (height: number | null): string => (height === null ? 'unknown' : String(height))

/** What a proxy says where the service does not answer it. */
const WITHOUT_SERVICE: readonly number[] = [502, 504]

/** A proxy is to keep `/readyz` from outside: its answer, a 503 with ingress-nginx, has no code of the service. */
export const isOfProxy = (error: unknown): boolean =>
  error instanceof ApiError && error.code === null && !WITHOUT_SERVICE.includes(error.status)

/** What anyone may know: listing, this process, and pairing. */
export function ReadinessCards() {
  const health = useHealth()
  const process = useQuery({
    queryKey: ['readyz'],
    queryFn: ({ signal }) => market.get('/readyz', { signal }),
    refetchInterval: EVERY_MS,
  })
  const pairing = useQuery({
    queryKey: ['pairing', 'readiness'],
    queryFn: ({ signal }) => market.get('/pairing/readiness', { signal }),
    refetchInterval: EVERY_MS,
  })
  return (
    <div class="two">
      <section class="card" aria-labelledby="listing">
        <h2 id="listing">Listing</h2>
        <Waiting query={health} />
        {health.data && <ListingFacts health={health.data} />}
      </section>
      <section class="card" aria-labelledby="process">
        <h2 id="process">This process</h2>
        {isOfProxy(process.error) ? (
          <p class="quiet">Not shown from outside: the proxy in front of the service keeps it.</p>
        ) : (
          <Waiting query={process} />
        )}
        {process.data && (
          <p class={process.data.degraded.length > 0 ? 'stale' : 'verdict'}>
            {process.data.degraded.length > 0
              ? `Ready, without: ${process.data.degraded.join(', ')}`
              : 'Ready, with all its parts.'}
          </p>
        )}
        <h2>Pairing</h2>
        <Waiting query={pairing} />
        {pairing.data && <PairingFacts readiness={pairing.data} />}
      </section>
    </div>
  )
}

const ListingFacts = ({
  health: { status, network, listingReadiness: listing, maxVerificationAgeSeconds },
}: {
  health: HealthReport
}) => (
  <>
    <p class={listing.ready ? 'verdict' : 'stale'}>
      {listing.ready
        ? 'Orders are verified and released.'
        : `Not ready: ${(listing.reason ?? 'unknown').replaceAll('_', ' ')}`}
    </p>
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        {status}, {network}
      </dd>
      <dt>Node</dt>
      <dd>block {known(listing.coreHeight)}</dd>
      <dt>Index</dt>
      <dd>block {known(listing.assetIndexHeight)}</dd>
      <dt>Lag</dt>
      <dd>
        {known(listing.lagBlocks)} blocks, of {listing.maxLagBlocks} allowed
      </dd>
      <dt>Storage</dt>
      <dd>{listing.storageWritable ? 'writable' : 'not writable'}</dd>
      <dt>Fresh for</dt>
      <dd>{maxVerificationAgeSeconds} s</dd>
      <dt>Checked</dt>
      <dd>
        <Age at={listing.checkedAt} />
      </dd>
    </dl>
  </>
)

const PairingFacts = ({ readiness }: { readiness: ReadinessSnapshot }) => (
  <>
    <p class={readiness.ready ? 'verdict' : 'stale'}>
      {readiness.ready
        ? 'Verified reads can be answered.'
        : `Not ready: ${readiness.reasons.join(', ').replaceAll('_', ' ')}`}
    </p>
    <dl class="facts">
      <dt>Node</dt>
      <dd>block {known(readiness.nodeHeight)}</dd>
      <dt>Indexed</dt>
      <dd>block {known(readiness.canonicalHeight)}</dd>
      <dt>Checkpoint</dt>
      <dd>block {known(readiness.checkpointHeight)}</dd>
      <dt>Signs</dt>
      <dd>{yesOrNo(readiness.signerConfigured)}</dd>
    </dl>
  </>
)
