import { useQuery } from '@tanstack/preact-query'
import type { MarketClient } from 'psbt-market-client'
import { TupleTable } from '../pairing/tuple-table.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Age } from '../ui/values/age.tsx'
import { asked, OPERATOR } from './operator.ts'

const NEWEST = 20

/** Where the two pipelines signed different things, both envelopes side by side. */
export function DivergenceCard({ operator }: { operator: MarketClient }) {
  const query = useQuery({
    queryKey: [OPERATOR, 'divergences'],
    queryFn: ({ signal }) =>
      operator.get('/pairing/divergences', { query: { limit: NEWEST }, signal }),
    ...asked,
  })
  return (
    <section class="card" aria-labelledby="divergences">
      <h2 id="divergences">Divergences of the pipelines</h2>
      <Waiting query={query} />
      {query.data?.items.length === 0 && <p class="empty">None was found.</p>}
      {query.data?.items.map(({ height, field, own, peer, firstSeenAt }) => (
        <details key={`${height} ${field} ${firstSeenAt}`}>
          <summary>
            Block {height}, first in {field}, <Age at={firstSeenAt} />
          </summary>
          <TupleTable
            own={{ name: `Pipeline ${own.pipeline}, key ${own.keyId}`, tuple: own.tuple }}
            other={{ name: `Pipeline ${peer.pipeline}, key ${peer.keyId}`, tuple: peer.tuple }}
          />
        </details>
      ))}
    </section>
  )
}
