import { useQuery } from '@tanstack/preact-query'
import { useLocation, useSearch } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { type FormEvent, textIn } from '../ui/forms/form-text.ts'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { groupedSats } from '../ui/values/amounts.ts'
import { Identifier } from '../ui/values/identifier.tsx'
import { AgreementCard } from './agreement-card.tsx'
import { ObjectLink, TransactionLink } from './links.tsx'
import { SearchCard } from './search-card.tsx'

const NEWEST = 25
const EVERY_MS = 15_000

/** Objects and carriers as this pipeline has them, and what both pipelines signed. */
export function PairingPage() {
  usePageTitle('Pairing')
  const q = new URLSearchParams(useSearch()).get('q') ?? ''
  const [, navigate] = useLocation()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = textIn(new FormData(event.currentTarget), 'q')
    navigate(given ? `/console/pairing?${new URLSearchParams({ q: given })}` : '/console/pairing')
  }
  return (
    <>
      <h1>Pairing</h1>
      <p class="quiet">
        Two pipelines index the same protocol apart from each other. What is verified, both signed;
        the lists are this pipeline’s alone: an answer that both signed needs no trust in either.{' '}
        <a href="/guide/pairing.html">How pairing works</a>
      </p>
      <search>
        <form class="controls" onSubmit={submit} key={q}>
          <label class="wide">
            Search, verified
            <input
              name="q"
              type="search"
              defaultValue={q}
              maxLength={128}
              placeholder="object key, label, outpoint, txid, address"
            />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {q && <SearchCard key={q} q={q} />}
      <AgreementCard />
      <Objects />
      <Carriers />
    </>
  )
}

function Objects() {
  const query = useQuery({
    queryKey: ['pairing', 'objects'],
    queryFn: ({ signal }) => market.get('/pairing/objects', { query: { limit: NEWEST }, signal }),
    refetchInterval: EVERY_MS,
  })
  return (
    <section class="card" aria-labelledby="objects">
      <h2 id="objects">Newest objects</h2>
      <Waiting query={query} />
      {query.data?.items.length === 0 && (
        <p class="empty">
          No object was created yet. <a href="/guide/pairing.html">How one is</a>
        </p>
      )}
      {query.data && query.data.items.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Status</th>
              <th scope="col">Paired with</th>
              <th scope="col" class="number">
                Created at
              </th>
              <th scope="col" class="number">
                Events
              </th>
            </tr>
          </thead>
          <tbody>
            {query.data.items.map((one) => (
              <tr key={one.objectKey}>
                <th scope="row">
                  <ObjectLink objectKey={one.objectKey} />
                  {one.label && (
                    <span class="under">
                      <bdi class="stranger">{one.label}</bdi>
                    </span>
                  )}
                </th>
                <td data-label="Status">{one.status}</td>
                <td data-label="Paired with">
                  {one.pairedWith ? <ObjectLink objectKey={one.pairedWith} /> : '–'}
                </td>
                <td data-label="Created at" class="number">
                  {one.createdHeight}
                </td>
                <td data-label="Events" class="number">
                  {one.eventCount}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Carriers() {
  const query = useQuery({
    queryKey: ['pairing', 'carriers'],
    queryFn: ({ signal }) => market.get('/pairing/carriers', { query: { limit: NEWEST }, signal }),
    refetchInterval: EVERY_MS,
  })
  return (
    <section class="card" aria-labelledby="carriers">
      <h2 id="carriers">Newest carriers</h2>
      <Waiting query={query} />
      {query.data?.items.length === 0 && (
        <p class="empty">
          No output carries an object yet. <a href="/guide/pairing.html">How one does</a>
        </p>
      )}
      {query.data && query.data.items.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Output</th>
              <th scope="col">Object</th>
              <th scope="col" class="number">
                Sats
              </th>
              <th scope="col" class="number">
                Created at
              </th>
              <th scope="col">Spent by</th>
            </tr>
          </thead>
          <tbody>
            {query.data.items.map((one) => (
              <tr key={`${one.txid}:${one.vout}`}>
                <th scope="row">
                  <Identifier id={`${one.txid}:${one.vout}`} name="output" />
                </th>
                <td data-label="Object">
                  <ObjectLink objectKey={one.objectKey} />
                </td>
                <td data-label="Sats" class="number">
                  {groupedSats(one.valueSats)}
                </td>
                <td data-label="Created at" class="number">
                  {one.createdHeight}
                </td>
                <td data-label="Spent by">
                  {one.spentByTxid ? <TransactionLink txid={one.spentByTxid} /> : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
