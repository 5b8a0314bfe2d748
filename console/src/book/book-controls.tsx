import { useLiveField } from '../ui/forms/live-field.ts'
import { type BookQuery, SORTS } from './book-query.ts'
import { PriceRange } from './price-range.tsx'

export type Change = (
  changes: Record<string, string | null>,
  /** Whether one can go back to what was before: not from each letter to the one before it. */
  isStep?: boolean,
) => void

interface Controls {
  filters: BookQuery
  sort: string
  change: Change
}

const textOf = (value: unknown): string => (value === undefined ? '' : String(value))

/** Search, price range and sort: in force while one types. */
export function BookControls({ filters, sort, change }: Controls) {
  const typed = (changes: Record<string, string | null>) => change(changes, false)
  const search = useLiveField({
    value: textOf(filters.search),
    read: (text) => text,
    // What is looked for may be of any view.
    send: (text) => typed({ search: text, ...(text !== '' && { view: null }) }),
  })
  return (
    <search>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label class="wide">
          Search the book
          <input
            {...search}
            name="search"
            type="search"
            placeholder="order, inscription, txid, address, token"
            maxLength={128}
          />
        </label>
        <PriceRange from={textOf(filters.priceMin)} to={textOf(filters.priceMax)} change={typed} />
        <label class="sort">
          Sort
          <select
            value={sort}
            onChange={({ currentTarget }) => change({ sort: currentTarget.value })}
          >
            {Object.entries(SORTS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </form>
    </search>
  )
}
