import type { SearchResult } from 'psbt-market-client'
import { Identifier } from '../ui/values/identifier.tsx'
import { ObjectLink, TransactionLink } from './links.tsx'
import { useVerified, VerifiedState } from './verified.tsx'

const MAX = 25

/** What matches, as both pipelines confirm. */
export function SearchCard({ q, title = 'Found' }: { q: string; title?: string }) {
  const verified = useVerified('/pairing/verified/search', { query: { q, limit: MAX } })
  const { outcome } = verified
  const found = outcome && 'value' in outcome ? outcome.value.results : null
  return (
    <section class="card" aria-labelledby="found">
      <h2 id="found">{title}</h2>
      <VerifiedState {...verified} />
      {found?.length === 0 && <p class="empty">Both pipelines confirm that there is none.</p>}
      {found && (
        <ul class="notices">
          {found.map((one) => (
            <li key={`${one.kind} ${one.key}`}>
              {one.kind} <Found result={one} />{' '}
              {one.label && <bdi class="stranger">{one.label}</bdi>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Found({ result: { kind, key } }: { result: SearchResult }) {
  if (kind === 'object') return <ObjectLink objectKey={key} />
  if (kind === 'transaction') return <TransactionLink txid={key} />
  return <Identifier id={key} name={kind} />
}
