import { OrderId } from '../../schemas/scalars.ts'

/** The first 48 bits of an order id as a number: ids are hashes, so they spread evenly. */
const PREFIX_HEX = 12
const PREFIXES = 16 ** PREFIX_HEX
const ID_HEX = 64

/** Ids after `after` (null: from the first), up to and including `upTo`. */
export interface IdRange {
  after: string | null
  upTo: string
}

/**
 * The order ids that the sweep checks between two moments. An id has its own time of the day
 * (`dayMs`), so a sweep needs no cursor: each id is due once a day, however often the service
 * restarts, and the rate is flat. Checks skipped by a pause of over a day are not made up.
 */
export function sweepWindow(fromMs: number, toMs: number, dayMs: number): IdRange[] {
  if (toMs <= fromMs) return []
  if (toMs - fromMs >= dayMs) return [{ after: null, upTo: LAST_ID }]
  const [after, upTo] = [idAt(fromMs, dayMs), idAt(toMs, dayMs)]
  if (after <= upTo) return [{ after, upTo }]
  return [
    { after, upTo: LAST_ID },
    { after: null, upTo },
  ]
}

export const LAST_ID = OrderId.parse('f'.repeat(ID_HEX))

/** The share of all ids in these ranges, 0 to 1. */
export const shareOfDay = (ranges: readonly IdRange[]): number =>
  ranges.reduce((sum, { after, upTo }) => sum + shareBelow(upTo) - shareBelow(after ?? '0'), 0)

const shareBelow = (id: string): number => Number.parseInt(id.slice(0, PREFIX_HEX), 16) / PREFIXES

function idAt(ms: number, dayMs: number): string {
  const prefix = Math.floor(((ms % dayMs) / dayMs) * PREFIXES)
  return prefix.toString(16).padStart(PREFIX_HEX, '0').padEnd(ID_HEX, '0')
}
