import type { OrderSummary } from 'psbt-market-client'
import { shortened } from './identifier.tsx'

/** What is offered, in a few words: the inscription's number, else its id, else the order's id. */
export function titleOf({ assets, id }: OrderSummary): string {
  const [asset] = assets
  if (asset?.inscriptionNumber !== undefined) return `Inscription ${asset.inscriptionNumber}`
  if (asset) return `Inscription ${shortened(asset.inscriptionId)}`
  return `Order ${shortened(id)}`
}
