import { groupedSats } from '../ui/values/amounts.ts'
import { stateWords } from '../ui/values/state-badge.tsx'
import type { Seen } from './watch-list.ts'

/** What is another than when it was looked at, in words; null: nothing is, or it never was. */
export function whatChanged(before: Seen | null, now: Seen): string | null {
  if (before === null) return null
  const changes = [
    before.state !== now.state && `was ${stateWords(before.state)}`,
    before.priceSats !== now.priceSats &&
      (before.priceSats === null ? 'had no price' : `was ${groupedSats(before.priceSats)} sats`),
  ].filter((one) => one !== false)
  return changes.length > 0 ? changes.join(', ') : null
}
