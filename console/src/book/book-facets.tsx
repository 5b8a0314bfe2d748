import type { OrderFacets, OrderState } from 'psbt-market-client'
import { useCatalog } from '../api/catalog.ts'
import { sourceWords } from '../ui/values/source-words.ts'
import { stateWords } from '../ui/values/state-badge.tsx'
import { type BookQuery, type Facet, NO_FILTERS, VIEWS, type ViewName } from './book-query.ts'

const TITLES: Partial<Record<Facet, string>> = {
  state: 'State',
  side: 'Side',
  protocol: 'Collection type',
  actionability: 'Actions',
  source: 'Source',
}

const WORDS: Record<string, string> = {
  ASK: 'asks',
  BID: 'bids',
  HANDOFF_READY: 'ready to buy',
  REVIEW_ONLY: 'review only',
  BLOCKED: 'none',
}

interface Facets {
  view: ViewName
  facets: OrderFacets | undefined
  filters: BookQuery
  change(changes: Record<string, string | null>): void
}

/** How many orders of the list have each value; a click sets it as filter, another takes it off. */
export function BookFacets({ view, facets, filters, change }: Facets) {
  const { data: catalog } = useCatalog()
  const wordsOf = (facet: Facet, value: string): string => {
    if (facet === 'state') return stateWords(value as OrderState)
    if (facet === 'protocol') return catalog?.find(({ id }) => id === value)?.label ?? value
    return WORDS[value] ?? sourceWords(value)
  }
  const chosen = (facet: Facet): string => String(filters[facet] ?? '')
  const offered: readonly Facet[] = VIEWS[view].facets
  const groups = offered
    .map((facet) => ({
      facet,
      values: (facets?.facets[facet] ?? []).filter(
        ({ value, count }) => count > 0 || value === chosen(facet),
      ),
    }))
    .filter(({ values }) => values.length > 0)
  return (
    <aside aria-label="Filters">
      <details open={matchMedia('(min-width: 60rem)').matches}>
        <summary>Filters</summary>
        {groups.map(({ facet, values }) => (
          <fieldset key={facet}>
            <legend>{TITLES[facet]}</legend>
            {values.map(({ value, count }) => (
              <button
                type="button"
                class="facet"
                key={value}
                aria-pressed={value === chosen(facet)}
                onClick={() => change({ [facet]: value === chosen(facet) ? null : value })}
              >
                <span>{wordsOf(facet, value)}</span>
                <span class="count">{count}</span>
              </button>
            ))}
          </fieldset>
        ))}
        {Object.keys(filters).length > 0 && (
          <button type="button" onClick={() => change(NO_FILTERS)}>
            Clear filters
          </button>
        )}
        {view === 'all' && facets && (
          <label class="check">
            <input
              type="checkbox"
              checked={filters.includeWithdrawn === 'true'}
              onChange={({ currentTarget }) =>
                change({ includeWithdrawn: currentTarget.checked ? 'true' : null })
              }
            />
            with withdrawn and rejected
          </label>
        )}
      </details>
    </aside>
  )
}
