import type { OrderSummary, SourceEvidence } from 'psbt-market-client'
import { Age } from '../ui/age.tsx'
import { groupedSats } from '../ui/amounts.ts'
import { Identifier } from '../ui/identifier.tsx'
import { sourceWords } from '../ui/source-words.ts'

/** What each source said, compared with what the signatures and the authorities say. */
export function ClaimTable({ order }: { order: OrderSummary }) {
  const [asset] = order.assets
  return (
    <section class="card" aria-labelledby="claims">
      <h2 id="claims">Claims and facts</h2>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Who says it</th>
            <th scope="col">When</th>
            <th scope="col" class="number">
              Price, sats
            </th>
            <th scope="col">Inscription</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">
              The signatures, node and index
              <span class="under">what counts</span>
            </th>
            <td data-label="When">
              <Age at={order.validation.checkedAt} />
            </td>
            <td data-label="Price, sats" class="number">
              {order.quotedPriceSats ? groupedSats(order.quotedPriceSats) : '–'}
            </td>
            <td data-label="Inscription">
              {asset ? <Identifier id={asset.inscriptionId} name="proved inscription" /> : '–'}
            </td>
          </tr>
          {order.sources.map((source) => (
            <SourceRow key={`${source.source} ${source.sourceId}`} source={source} order={order} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function SourceRow({ source, order }: { source: SourceEvidence; order: OrderSummary }) {
  const { claimedPriceSats: price, claimedAsset: claimed } = source
  const isOtherPrice = price !== undefined && price !== order.quotedPriceSats
  const isOtherAsset =
    claimed !== undefined && claimed.inscriptionId !== order.assets[0]?.inscriptionId
  return (
    <tr>
      <th scope="row">
        <bdi class="stranger">{source.sourceId}</bdi>
        <span class="under">
          {sourceWords(source.source)}
          {source.eventId && (
            <>
              , event <Identifier id={source.eventId} name="event" />
            </>
          )}
        </span>
      </th>
      <td data-label="When">
        <Age at={source.observedAt} />
      </td>
      <td data-label="Price, sats" class="number">
        {price === undefined ? '–' : groupedSats(price)}
        {isOtherPrice && <span class="under stale">differs</span>}
      </td>
      <td data-label="Inscription">
        {claimed ? <Identifier id={claimed.inscriptionId} name="claimed inscription" /> : '–'}
        {isOtherAsset && <span class="under stale">not proved</span>}
      </td>
    </tr>
  )
}
