import type { ComponentChildren } from 'preact'
import type { OrderSummary, SourceEvidence } from 'psbt-market-client'
import { Fold } from '../ui/fold.tsx'
import { Age } from '../ui/values/age.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Identifier } from '../ui/values/identifier.tsx'
import { sourceWords } from '../ui/values/source-words.ts'

/** What each source said, compared with what the signatures and the authorities say. */
export function ClaimTable({ order }: { order: OrderSummary }) {
  const [asset] = order.assets
  const differing = order.sources.filter((source) => isOther(source, order)).length
  return (
    <Fold id="claims" title="Claims and facts" note={noteOf(order.sources.length, differing)}>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Source</th>
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
    </Fold>
  )
}

function noteOf(sources: number, differing: number): ComponentChildren {
  const words = `${sources} source${sources === 1 ? '' : 's'}`
  if (differing === 0) return words
  return (
    <>
      {words},{' '}
      <span class="stale">
        {differing} differ{differing === 1 ? 's' : ''}
      </span>
    </>
  )
}

const claimsOtherPrice = ({ claimedPriceSats }: SourceEvidence, order: OrderSummary): boolean =>
  claimedPriceSats !== undefined && claimedPriceSats !== order.quotedPriceSats

const claimsOtherAsset = ({ claimedAsset }: SourceEvidence, order: OrderSummary): boolean =>
  claimedAsset !== undefined && claimedAsset.inscriptionId !== order.assets[0]?.inscriptionId

const isOther = (source: SourceEvidence, order: OrderSummary): boolean =>
  claimsOtherPrice(source, order) || claimsOtherAsset(source, order)

function SourceRow({ source, order }: { source: SourceEvidence; order: OrderSummary }) {
  const { claimedPriceSats: price, claimedAsset: claimed } = source
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
        {claimsOtherPrice(source, order) && <span class="under stale">differs</span>}
      </td>
      <td data-label="Inscription">
        {claimed ? <Identifier id={claimed.inscriptionId} name="claimed inscription" /> : '–'}
        {claimsOtherAsset(source, order) && <span class="under stale">not proved</span>}
      </td>
    </tr>
  )
}
