import type { OrderSummary } from 'psbt-market-client'
import { useMarketOf } from '../api/catalog.ts'
import { Preview } from '../content/preview.tsx'
import { shownAsset } from '../content/shown-asset.ts'

/** Pixels: the place has one size, whatever is in it. */
const SIZE = 160

/** What is sold, over the sort of thing in words: those are left where the service shows no content. */
export function TilePicture({ order }: { order: OrderSummary }) {
  const label = useMarketOf(order.protocolId)?.label
  const asset = shownAsset(order)
  return (
    <div class="picture" aria-hidden="true">
      <span>{label ?? (order.assets.length > 0 ? 'Inscription' : 'Output')}</span>
      {asset && <Preview inscriptionId={asset.inscriptionId} size={SIZE} />}
    </div>
  )
}
