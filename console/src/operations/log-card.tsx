import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { MarketClient } from 'psbt-market-client'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { bytesText, durationText } from './figures.ts'
import { asked, OPERATOR } from './operator.ts'
import { RecordBrowser, type Topic } from './record-browser.tsx'

/** The topics of the log, and the records of the one that is chosen. */
export function LogCard({ operator }: { operator: MarketClient }) {
  const [chosen, choose] = useState<Topic | null>(null)
  const query = useQuery({
    queryKey: [OPERATOR, 'topics'],
    queryFn: ({ signal }) => operator.get('/api/market/admin/topics', { signal }),
    ...asked,
  })
  return (
    <section class="card" aria-labelledby="log">
      <h2 id="log">The log</h2>
      <Waiting query={query} />
      {query.data && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Topic</th>
              <th scope="col" class="number">
                Partitions
              </th>
              <th scope="col" class="number">
                Records, at most
              </th>
              <th scope="col" class="number">
                On disk
              </th>
              <th scope="col">Kept</th>
            </tr>
          </thead>
          <tbody>
            {query.data.topics.map((topic) => (
              <tr key={topic.topic}>
                <th scope="row">
                  <button
                    type="button"
                    class="plain"
                    aria-pressed={chosen?.topic === topic.topic}
                    onClick={() => choose(topic)}
                  >
                    {topic.topic}
                  </button>
                </th>
                <td data-label="Partitions" class="number">
                  {topic.partitions}
                </td>
                <td data-label="Records, at most" class="number">
                  {topic.offsets}
                </td>
                <td data-label="On disk" class="number">
                  {topic.bytes === null ? 'not known' : bytesText(topic.bytes)}
                </td>
                <td data-label="Kept">{keptText(topic)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {chosen && <RecordBrowser key={chosen.topic} operator={operator} topic={chosen} />}
    </section>
  )
}

const keptText = ({ cleanUp, keptForMs }: Topic): string =>
  cleanUp === 'delete'
    ? `for ${durationText((keptForMs ?? 0) / 1_000)}`
    : { keep: 'for ever', compact: 'the last of a key' }[cleanUp]
