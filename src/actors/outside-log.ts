import type { Cause } from '../schemas/log.ts'
import type { JudgedBy } from './events/judge-order.ts'

/** No watermark applies to an answer that is in no partition. */
export const UNFOLLOWED: Pick<JudgedBy, 'isContinuousSince' | 'followed'> = {
  isContinuousSince: () => false,
  followed: () => null,
}

/** What happens outside the log has no log record as its cause. */
export const NO_CAUSE: Cause = { partition: 0, offset: 0, kind: 'command' }
