import { useEffect, useRef } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { SearchCard } from '../pairing/search-card.tsx'
import { type FormEvent, textIn } from '../ui/forms/form-text.ts'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { FoundCircles } from './found-circles.tsx'
import { FoundOrders } from './found-orders.tsx'
import { lookedFor } from './looked-for.ts'

const MAX_CHARACTERS = 128

/** One box for whatever has a name here; what is looked for is in the page's address. */
export function FindPage() {
  usePageTitle('Find')
  const q = new URLSearchParams(useSearch()).get('q') ?? ''
  const [, navigate] = useLocation()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = textIn(new FormData(event.currentTarget), 'q')
    navigate(given ? `/console/find?${new URLSearchParams({ q: given })}` : '/console/find')
  }
  const of = lookedFor(q)
  const exposed = of.outpoint ?? of.address
  return (
    <>
      <h1>Find</h1>
      <search>
        <form class="controls" onSubmit={submit}>
          <label class="wide">
            Order, inscription, token, address, output, txid, object or circle
            <input
              ref={box}
              key={q}
              name="q"
              type="search"
              defaultValue={q}
              maxLength={MAX_CHARACTERS}
              autocomplete="off"
            />
          </label>
          <button type="submit">Find</button>
        </form>
      </search>
      {of.text !== '' && (
        <div key={of.text}>
          {exposed && (
            <p class="alone">
              <Link href={`/console/sell/outputs?${new URLSearchParams({ of: exposed })}`}>
                What is signed for this {of.outpoint ? 'output' : 'address'}
              </Link>
            </p>
          )}
          <FoundOrders of={of} />
          {of.pairing && <SearchCard q={of.pairing} title="Pairing" />}
          {(of.hash || of.outpoint) && <FoundCircles of={of} />}
        </div>
      )}
    </>
  )
}
