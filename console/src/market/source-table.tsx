import { Waiting } from '../ui/awaited/waiting.tsx'
import { sourceWords } from '../ui/values/source-words.ts'
import { Since } from './since.tsx'
import { useSources } from './statistics.ts'

const COLUMNS = [
  ['Orders', 'orders'],
  ['First to report', 'first_told'],
  ['Valid', 'valid'],
  ['Stale', 'stale'],
  ['Fake', 'fake'],
  ['Pending', 'undecided'],
] as const

/** What the orders of each source came to, by day. */
export function SourceTable() {
  const query = useSources()
  const { data } = query
  return (
    <section class="card" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <p class="quiet">Of all markets and tokens: a source is as good as all that it reports.</p>
      <Since query={query} />
      <Waiting query={query} />
      {data?.rows.length === 0 && <p class="empty">No source reported an order in this time.</p>}
      {data && data.rows.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Source</th>
              {COLUMNS.map(([head]) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
              <th scope="col" class="number">
                Median until first verdict, ms
              </th>
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <tr key={`${row.day} ${row.source}`}>
                <th scope="row">
                  <bdi class="stranger">{sourceWords(row.source)}</bdi>
                  <span class="under">{row.day}</span>
                </th>
                {COLUMNS.map(([head, name]) => (
                  <td key={head} data-label={head} class="number">
                    {row[name]}
                  </td>
                ))}
                <td data-label="Median until first verdict, ms" class="number">
                  {row.median_lag_ms ?? '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
