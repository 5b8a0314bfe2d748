import { useQuery } from '@tanstack/preact-query'
import type { AnswerOf, MarketClient } from 'psbt-market-client'
import { Age } from '../ui/age.tsx'
import { Identifier } from '../ui/identifier.tsx'
import { sourceWords } from '../ui/source-words.ts'
import { Waiting } from '../ui/waiting.tsx'
import { asked, OPERATOR } from './operator.ts'
import { Partitions } from './partitions.tsx'

type Operations = AnswerOf<'/api/market/admin/operations'>

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
          <section class="card" aria-labelledby="dead">
            <h2 id="dead">Dead letters</h2>
            <DeadRecords letters={data.deadLetters} />
          </section>
          <section class="card" aria-labelledby="build">
            <h2 id="build">Build</h2>
            <BuildFacts build={data.build} />
          </section>
        </div>
      )}
    </>
  )
}

const BuildFacts = ({ build: { version, commit, node } }: Pick<Operations, 'build'>) => (
  <dl class="facts">
    <dt>Version</dt>
    <dd>{version}</dd>
    <dt>Commit</dt>
    <dd>{commit === 'unknown' ? commit : <Identifier id={commit} name="commit" />}</dd>
    <dt>Node.js</dt>
    <dd>{node}</dd>
  </dl>
)

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

function DeadRecords({ letters }: { letters: Operations['deadLetters'] }) {
  if (letters.length === 0) return <p class="empty">No record was set aside.</p>
  return (
    <>
      <ul class="notices">
        {letters.map(({ partition, offset, reasons, retriedAt }) => (
          <li key={`${partition} ${offset}`}>
            Partition {partition}, offset {offset}: <bdi class="stranger">{reasons.join('; ')}</bdi>
            {retriedAt && (
              <span class="quiet">
                , retried <Age at={retriedAt} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="quiet">
        <code>market dlq</code> shows and retries them.
      </p>
    </>
  )
}
