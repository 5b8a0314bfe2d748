import type { AnswerOf } from 'psbt-market-client'
import { Age } from '../ui/values/age.tsx'

type Acts = AnswerOf<'/api/market/admin/operations'>['acts']

/** Who did what: a name is that of a token. */
export const ActsCard = ({ acts }: { acts: Acts }) => (
  <section class="card" aria-labelledby="acts">
    <h2 id="acts">Acts of operators</h2>
    <p class="quiet">At this gateway since its start; all of them are in the service’s log.</p>
    {acts.length === 0 && <p class="empty">Nothing was done.</p>}
    <ul class="changes">
      {acts.map(({ at, operator, act, about, refused }) => (
        <li key={`${at} ${operator} ${act} ${about}`}>
          <Age at={at} />: <strong>{operator}</strong> {act}
          {refused !== null && <span class="stale">, refused: {refused}</span>}
          <div>
            <bdi class="stranger">{about}</bdi>
          </div>
        </li>
      ))}
    </ul>
  </section>
)
