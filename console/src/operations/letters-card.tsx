import { useMutation, useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { AnswerOf, MarketClient } from 'psbt-market-client'
import { queryClient } from '../api/market.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Age } from '../ui/values/age.tsx'
import { asked, OPERATOR } from './operator.ts'
import { RecordValue } from './record-value.tsx'
import { SureButton } from './sure-button.tsx'

type Letter = AnswerOf<'/api/market/admin/operations'>['deadLetters'][number]
type Retried = AnswerOf<'/api/market/admin/dead-letters/retry', 'post'>
type Place = Retried['retries'][number]['place']

/** Which letters: one, or each that was not retried yet, after a place. */
type Wanted = { one: Place } | { all: true; after: Place | null }

/** Records of the inbox that were set aside: why, what they are, and how to try them again. */
export function LettersCard({ operator, letters }: { operator: MarketClient; letters: Letter[] }) {
  const retry = useMutation({
    mutationFn: (wanted: Wanted) =>
      operator.post('/api/market/admin/dead-letters/retry', {
        body:
          'one' in wanted
            ? { places: [wanted.one] }
            : { places: 'all', ...(wanted.after && { after: wanted.after }) },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [OPERATOR, 'operations'] }),
  })
  const waiting = letters.filter(({ retriedAt }) => retriedAt === null).length
  return (
    <section class="card" aria-labelledby="dead">
      <h2 id="dead">Dead letters</h2>
      {letters.length === 0 && <p class="empty">No record was set aside.</p>}
      <ul class="changes">
        {letters.map((letter) => (
          <LetterItem
            key={textOf(letter)}
            operator={operator}
            letter={letter}
            isBusy={retry.isPending}
            retry={() =>
              retry.mutate({ one: { partition: letter.partition, offset: letter.offset } })
            }
          />
        ))}
      </ul>
      {waiting > 1 && (
        <p class="row">
          <SureButton
            label="Retry all"
            sure="Yes, retry all that were not retried"
            isBusy={retry.isPending}
            act={() => retry.mutate({ all: true, after: null })}
          />
        </p>
      )}
      <div aria-live="polite">
        {retry.error && <Trouble error={retry.error} />}
        {retry.data && (
          <RetryResult
            {...retry.data}
            isBusy={retry.isPending}
            goOn={(after) => retry.mutate({ all: true, after })}
          />
        )}
      </div>
    </section>
  )
}

const textOf = ({ partition, offset }: Place): string => `${partition}/${offset}`

interface LetterItemParts {
  operator: MarketClient
  letter: Letter
  isBusy: boolean
  retry(): void
}

function LetterItem({ operator, letter, isBusy, retry }: LetterItemParts) {
  const [isShown, setShown] = useState(false)
  const { partition, offset, reasons, retriedAt } = letter
  return (
    <li>
      Partition {partition}, offset {offset}: <bdi class="stranger">{reasons.join('; ')}</bdi>
      {retriedAt && (
        <span class="quiet">
          , retried <Age at={retriedAt} />
        </span>
      )}
      <div class="row">
        <button
          type="button"
          class="plain"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide record' : 'Show record'}
        </button>
        {!retriedAt && (
          <button type="button" class="plain" disabled={isBusy} onClick={retry}>
            Retry
          </button>
        )}
      </div>
      {isShown && <LetterRecord operator={operator} partition={partition} offset={offset} />}
    </li>
  )
}

function LetterRecord({ operator, partition, offset }: { operator: MarketClient } & Place) {
  const query = useQuery({
    queryKey: [OPERATOR, 'dead-letter', partition, offset],
    queryFn: ({ signal }) =>
      operator.get('/api/market/admin/dead-letters/{partition}/{offset}', {
        path: { partition: String(partition), offset: String(offset) },
        signal,
      }),
    ...asked,
  })
  return (
    <>
      <Waiting query={query} isOpened />
      {query.data && (
        <>
          {!query.data.isOriginal && (
            <p class="quiet">The inbox no longer has it: this is what the letter kept of it.</p>
          )}
          <RecordValue value={query.data.record} />
        </>
      )}
    </>
  )
}

interface Result extends Retried {
  isBusy: boolean
  goOn(after: Place): void
}

/** How many were retried, why the others were not, and where to go on. */
function RetryResult({ retries, next, isBusy, goOn }: Result) {
  const refused = retries.filter(({ why }) => why !== null)
  return (
    <>
      <p class={refused.length > 0 ? 'stale' : 'verdict'}>
        {retries.length - refused.length} of {retries.length} retried.
      </p>
      <ul class="notices">
        {refused.map(({ place, why }) => (
          <li key={textOf(place)}>
            Partition {place.partition}, offset {place.offset}: <bdi class="stranger">{why}</bdi>
          </li>
        ))}
      </ul>
      {next && (
        <button type="button" class="plain" disabled={isBusy} onClick={() => goOn(next)}>
          Go on with the rest
        </button>
      )}
    </>
  )
}
