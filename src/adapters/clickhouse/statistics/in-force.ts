import type { AsOf } from '../../../domain/statistics/moment.ts'

/** Later than every version. */
const NEVER = "toDateTime64('2299-01-01 00:00:00', 3, 'UTC')"

/** When the history first named a height above `{height:UInt32}`. */
export const PASSED = `(
  SELECT if(count() = 0, ${NEVER}, min(named_at)) FROM named_heights WHERE height > {height:UInt32}
)`

/**
 * Selects from `order_versions`, or a view of it, those in force then: at most one of each order.
 */
export function inForceAt(as: AsOf): {
  condition: string
  params: Record<string, string | number>
} {
  if ('height' in as)
    return {
      condition: `in_force_from < ${PASSED} AND ifNull(in_force_until >= ${PASSED}, true)`,
      params: as,
    }
  const time = "parseDateTime64BestEffort({time:String}, 3, 'UTC')"
  return {
    condition: `in_force_from <= ${time} AND ifNull(in_force_until > ${time}, true)`,
    params: as,
  }
}
