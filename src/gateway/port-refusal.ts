import { type Part, UnavailableError } from '../ports/base-errors.ts'
import { BusyError } from '../runtime/lanes.ts'
import type { ErrorCode } from '../schemas/api/errors.ts'
import { RefusalError } from './refusal.ts'

const BUSY_RETRY_SECONDS = 1

/** The refusals for unavailable parts that requests use. */
const REFUSALS: Partial<Record<Part, { code: ErrorCode; message: (why: string) => string }>> = {
  node: { code: 'NODE_UNAVAILABLE', message: (why) => `the node gives no answer: ${why}` },
  index: { code: 'ASSET_INDEX_UNAVAILABLE', message: (why) => `the index gives no answer: ${why}` },
  store: { code: 'STORAGE_UNAVAILABLE', message: (why) => `the store is unavailable: ${why}` },
  history: {
    code: 'HISTORY_UNAVAILABLE',
    message: () => 'the activity log is unavailable: no entries are lost',
  },
}

/** A queue that is full, or a port's failure to answer now, as a refusal; null for any other error. */
export function portRefusal(error: unknown): RefusalError | null {
  if (error instanceof BusyError) {
    const message = `too many requests are waiting: ${error.message}`
    return new RefusalError('OVERLOADED', message, { retryAfterSeconds: BUSY_RETRY_SECONDS })
  }
  if (!(error instanceof UnavailableError)) return null
  const refusal = REFUSALS[error.part]
  if (!refusal) return null
  return new RefusalError(refusal.code, refusal.message(error.reason), { cause: error })
}
