import type { RefusedOutcome } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'

export type CheckedOrder =
  /** It is still LIVE, with the verdict just given. */
  | { status: 'live'; order: OrderRecord }
  /** An authority gave no answer. */
  | RefusedOutcome
  /** Its state changed: it must be rechecked through the log. */
  | { status: 'changed' }

/** Rechecks a LIVE order of the log outside the log. */
export interface OrderCheck {
  /**
   * What a revalidation by both authorities would find now; nothing is stored. `at` is the time of
   * the check, ISO 8601. Throws once `signal` has aborted.
   */
  check(order: OrderRecord, at: string, signal?: AbortSignal): Promise<CheckedOrder>
}
