import { useLocation, useSearch } from 'wouter-preact'
import { useCatalog } from '../api/catalog.ts'
import { type FormEvent, textIn } from '../ui/forms/form-text.ts'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { CandleCard } from './candle-card.tsx'
import { DepthCard } from './depth-card.tsx'
import { FloorCard } from './floor-card.tsx'
import { MarketTable } from './market-table.tsx'
import { SaleTable } from './sale-table.tsx'
import { SourceTable } from './source-table.tsx'
import { type Chosen, type Interval, useMarkets } from './statistics.ts'
import { VolumeCard } from './volume-card.tsx'

const INTERVALS: readonly Interval[] = ['hour', 'day', 'week']

/** Prices now and over time; the market, the token and the interval are in the address. */
export function MarketPage() {
  usePageTitle('Statistics')
  const address = new URLSearchParams(useSearch())
  const [, navigate] = useLocation()
  const chosen: Chosen = { protocol: address.get('protocol'), token: address.get('token') }
  const interval = INTERVALS.find((one) => one === address.get('interval')) ?? 'day'
  const choose = (next: Chosen, span: string) => {
    const query = new URLSearchParams()
    if (next.protocol) query.set('protocol', next.protocol)
    if (next.token) query.set('token', next.token)
    if (span !== 'day') query.set('interval', span)
    const text = query.toString()
    navigate(`/console/market${text && `?${text}`}`)
  }
  return (
    <>
      <h1>Statistics</h1>
      <p class="quiet">
        From the history of changes, a second or two behind. Names of collection types and tokens
        are as sources gave them.
      </p>
      <MarketForm chosen={chosen} choose={(next) => choose(next, interval)} />
      <VolumeCard chosen={chosen} />
      <MarketTable chosen={chosen} />
      {(chosen.protocol || chosen.token) && (
        <>
          <FloorCard chosen={chosen} interval={interval} />
          <DepthCard chosen={chosen} />
        </>
      )}
      <CandleCard chosen={chosen} interval={interval} change={(span) => choose(chosen, span)} />
      <SaleTable chosen={chosen} />
      <SourceTable />
    </>
  )
}

function MarketForm({ chosen, choose }: { chosen: Chosen; choose(next: Chosen): void }) {
  const { data: catalog } = useCatalog()
  // As the table of the page has them: no request of its own.
  const live = useMarkets(chosen).data?.rows ?? []
  const tokens = [...new Set(live.flatMap(({ token }) => token ?? []))]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    choose({ protocol: textIn(given, 'protocol') || null, token: textIn(given, 'token') || null })
  }
  return (
    <form class="controls" onSubmit={submit} key={JSON.stringify([chosen, catalog?.length])}>
      <label>
        Collection type
        <select name="protocol" defaultValue={chosen.protocol ?? ''}>
          <option value="">all</option>
          {catalog?.map(({ id, label }) => (
            <option key={id} value={id} selected={id === chosen.protocol}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Token
        <input
          name="token"
          list="tokens"
          defaultValue={chosen.token ?? ''}
          maxLength={64}
          autocomplete="off"
        />
      </label>
      <datalist id="tokens">
        {tokens.map((token) => (
          <option key={token} value={token} />
        ))}
      </datalist>
      <button type="submit">Show</button>
    </form>
  )
}
