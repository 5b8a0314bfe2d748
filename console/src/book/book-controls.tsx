import { satsIn } from '../ui/amounts.ts'
import { type BookQuery, SORTS } from './book-query.ts'

interface Controls {
  filters: BookQuery
  sort: string
  change(changes: Record<string, string | null>): void
}

const textOf = (value: unknown): string => (value === undefined ? '' : String(value))

/** Search, price range and sort. */
export function BookControls({ filters, sort, change }: Controls) {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '').trim()
    const searched = text('search')
    change({
      search: searched,
      priceMin: satsIn(text('priceMin')),
      priceMax: satsIn(text('priceMax')),
      // What is looked for may be of any view.
      ...(searched !== textOf(filters.search) && searched !== '' && { view: null }),
    })
  }
  const submitAtOnce = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
    currentTarget.form?.requestSubmit()
  // The key recreates the fields when the address changes, as by the back button.
  return (
    <search>
      <form class="controls" onSubmit={submit} key={JSON.stringify(filters)}>
        <label class="wide">
          Search the book
          <input
            name="search"
            type="search"
            defaultValue={textOf(filters.search)}
            placeholder="order, inscription, txid, address, token"
            maxLength={128}
          />
        </label>
        <button type="submit">Search</button>
        <label class="price">
          From, sats
          <input
            name="priceMin"
            inputMode="decimal"
            placeholder="or 0.001 BTC"
            defaultValue={textOf(filters.priceMin)}
            onChange={submitAtOnce}
          />
        </label>
        <label class="price">
          To, sats
          <input
            name="priceMax"
            inputMode="decimal"
            defaultValue={textOf(filters.priceMax)}
            onChange={submitAtOnce}
          />
        </label>
        <label>
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
