import { useQuery } from '@tanstack/preact-query'
import type { PairingObject } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { Identifier, shortened } from '../ui/values/identifier.tsx'
import { EventTable } from './event-table.tsx'
import { ObjectLink, TransactionLink } from './links.tsx'
import { useVerified, VerifiedState } from './verified.tsx'

const NEWEST = 100

/** One object: as both pipelines confirm it, and its history from this one alone. */
export function ObjectPage({ objectKey }: { objectKey: string }) {
  usePageTitle(`Object ${shortened(objectKey)}`)
  const verified = useVerified('/pairing/verified/objects/{objectKey}', { path: { objectKey } })
  const { outcome } = verified
  const events = useQuery({
    queryKey: ['pairing', 'events', objectKey],
    queryFn: ({ signal }) =>
      market.get('/pairing/objects/{objectKey}/events', {
        path: { objectKey },
        query: { limit: NEWEST },
        signal,
      }),
  })
  return (
    <>
      <p class="alone">
        <Link href="/console/pairing">Pairing</Link>
      </p>
      <h1>Object {shortened(objectKey)}</h1>
      <p class="quiet">
        Key <Identifier id={objectKey} name="object key" />
      </p>
      <div class="two">
        <section class="card" aria-labelledby="verified">
          <h2 id="verified">Verified</h2>
          <VerifiedState {...verified} />
        </section>
        <section class="card" aria-labelledby="object">
          <h2 id="object">What they confirm</h2>
          {outcome && 'value' in outcome ? (
            <ObjectFacts object={outcome.value} />
          ) : (
            <p class="quiet">Nothing is verified.</p>
          )}
        </section>
      </div>
      <section class="card" aria-labelledby="events">
        <h2 id="events">What happened to it</h2>
        <p class="quiet">Newest first, as this pipeline alone has it.</p>
        <Waiting query={events} />
        {events.data && <EventTable events={events.data.events} />}
      </section>
      <p class="row">
        <a
          class="button plain"
          href={`/pairing/objects/${objectKey}/proof`}
          download={`object-${objectKey}.json`}
        >
          Download the proof
        </a>
        <span class="quiet">
          <code>market pairing verify-proof</code> checks it offline.
        </span>
      </p>
    </>
  )
}

const ObjectFacts = ({ object }: { object: PairingObject }) => (
  <dl class="facts">
    <dt>Label</dt>
    <dd>
      <bdi class="stranger">{object.label || '–'}</bdi>
    </dd>
    <dt>Status</dt>
    <dd>{object.status}</dd>
    <dt>Content</dt>
    <dd>
      <Identifier id={object.contentHash} name="content hash" />
    </dd>
    <dt>Carrier</dt>
    <dd>{object.carrier ? <Identifier id={object.carrier} name="carrier" /> : 'none'}</dd>
    <dt>Address</dt>
    <dd>
      {object.address ? <ExploredId of="address" id={object.address} name="address" /> : 'none'}
    </dd>
    <dt>Paired with</dt>
    <dd>{object.pairedWith ? <ObjectLink objectKey={object.pairedWith} /> : 'none'}</dd>
    <dt>Created</dt>
    <dd>
      in block {object.createdHeight} by <TransactionLink txid={object.createdTxid} />
    </dd>
  </dl>
)
