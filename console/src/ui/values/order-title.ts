import type { OrderSummary } from 'psbt-market-client'
import { shortened } from './identifier.tsx'

/** What is offered, in a few words: the inscription's number, else its id, else the order's id. */
export function titleOf({ assets, id }: OrderSummary): string {
  const [asset] = assets
  if (asset) return namedInscription(asset.inscriptionId, asset.inscriptionNumber)
  return `Order ${shortened(id)}`
}

export const namedInscription = (id: string, number: number | undefined): string =>
  `Inscription ${number ?? shortened(id)}`
