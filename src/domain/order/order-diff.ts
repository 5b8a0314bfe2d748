import { isDeepStrictEqual } from 'node:util'
import type { OrderRecord } from '../../schemas/order-record.ts'

/** The actor's work in progress, and the log's own fields: never part of a change. */
const NOT_LOGGED: ReadonlySet<string> = new Set(['seq', 'hash', 'attempt', 'pending'])

export interface OrderDiff {
  set: Partial<OrderRecord>
  unset: string[]
}

/** The fields in which two versions of an order differ; for the first version, every field. */
export function diffOrder(before: OrderRecord | null, after: OrderRecord): OrderDiff {
  const old: Readonly<Record<string, unknown>> = before ?? {}
  const changed = Object.entries(after).filter(
    ([key, value]) => before === null || (!NOT_LOGGED.has(key) && isOther(old[key], value)),
  )
  const first = before === null ? { seq: 0, hash: null, attempt: 0, pending: null } : {}
  return {
    set: { ...Object.fromEntries(changed), ...first },
    unset: Object.keys(old).filter((key) => !(key in after)),
  }
}

// Most fields are identical references: they need no deep comparison.
const isOther = (before: unknown, after: unknown): boolean =>
  before !== after && !isDeepStrictEqual(before, after)

export const isEmptyDiff = ({ set, unset }: OrderDiff): boolean =>
  Object.keys(set).length === 0 && unset.length === 0
