import { keptWord, useKept } from '../api/kept.ts'
import { btcOf, groupedSats } from '../ui/values/amounts.ts'

export type Unit = 'sats' | 'BTC'

/** In which unit lists write amounts: each names it once. */
export const unit = keptWord<Unit>('market.unit', ['sats', 'BTC'])

/** How lists of orders are shown. */
export const layout = keptWord<'table' | 'tiles'>('market.layout', ['table', 'tiles'])

export const useUnit = (): Unit => useKept(unit)

/** A dash where there is no amount. */
export function amountIn(of: Unit, sats: string | null): string {
  if (sats === null) return '–'
  return of === 'BTC' ? btcOf(sats) : groupedSats(sats)
}
