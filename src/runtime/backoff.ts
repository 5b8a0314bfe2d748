/** How long to wait before something that failed is tried again, milliseconds. */
export interface Backoff {
  /** The wait after the first failure. */
  firstMs: number
  /** The longest wait. */
  lastMs: number
}

/**
 * The wait after a failure, milliseconds: it doubles with each failure in a row, up to a bound.
 *
 * @param failures in a row before this one
 */
export const backoffMs = (failures: number, { firstMs, lastMs }: Backoff): number =>
  Math.min(firstMs * 2 ** failures, lastMs)
