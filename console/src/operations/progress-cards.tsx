import { useQuery } from '@tanstack/preact-query'
import type { MarketClient } from 'psbt-market-client'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { sourceWords } from '../ui/values/source-words.ts'
import { ActsCard } from './acts-card.tsx'
import { LettersCard } from './letters-card.tsx'
import { asked, OPERATOR } from './operator.ts'
import { Partitions } from './partitions.tsx'
import { type Operations, ProcessCard } from './process-card.tsx'

/**
 * How far each partition is, what the feeds do, which records could not be processed, and the
 * build.
 */
export function ProgressCards({ operator }: { operator: MarketClient }) {
  const query = useQuery({
    queryKey: [OPERATOR, 'operations'],
    queryFn: ({ signal }) => operator.get('/api/market/admin/operations', { signal }),
    ...asked,
  })
  const { data } = query
  return (
    <>
      <section class="card" aria-labelledby="partitions">
        <h2 id="partitions">Partitions</h2>
        <Waiting query={query} />
        {data && <Partitions partitions={data.partitions} />}
      </section>
      {data && (
        <div class="two">
          <section class="card" aria-labelledby="feeds">
            <h2 id="feeds">Feeds</h2>
            <Feeds feeds={data.feeds} />
          </section>
          <ProcessCard report={data} />
        </div>
      )}
      {data && <LettersCard operator={operator} letters={data.deadLetters} />}
      {data && <ActsCard acts={data.acts} />}
    </>
  )
}

function Feeds({ feeds }: Pick<Operations, 'feeds'>) {
  if (feeds === null)
    return <p class="empty">Another process reads them: its metrics say how they are.</p>
  if (feeds.length === 0) return <p class="empty">No feed is configured.</p>
  return (
    <ul class="notices">
      {feeds.map(({ feed, from, state, trouble, detail }) => (
        <li key={from}>
          {sourceWords(feed)}, <bdi class="stranger">{from}</bdi>:{' '}
          <strong class={trouble === null ? '' : 'stale'}>{state}</strong>
          {trouble && (
            <>
              , {trouble.replaceAll('_', ' ')}: <bdi class="stranger">{detail}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
