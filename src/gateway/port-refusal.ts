import { IndexUnavailable, NodeUnavailable } from '../ports/authorities/authority-errors.ts'
import { Busy } from '../ports/authorities/lanes.ts'
import { StorageUnavailable } from '../ports/log/storage-errors.ts'
import { HistoryUnavailable } from '../ports/views/history.ts'
import { Refusal } from './refusal.ts'

const BUSY_RETRY_SECONDS = 1

/** A port's failure to answer now, as a refusal; null for any other error. */
export function portRefusal(error: unknown): Refusal | null {
  if (error instanceof Busy) {
    const message = `too many wait for the same: ${error.message}`
    return new Refusal('OVERLOADED', message, { retryAfterSeconds: BUSY_RETRY_SECONDS })
  }
  if (error instanceof NodeUnavailable) {
    return new Refusal('NODE_UNAVAILABLE', `the node gives no answer: ${error.reason}`, {
      cause: error,
    })
  }
  if (error instanceof IndexUnavailable) {
    return new Refusal('ASSET_INDEX_UNAVAILABLE', `the index gives no answer: ${error.reason}`, {
      cause: error,
    })
  }
  if (error instanceof HistoryUnavailable) {
    return new Refusal('HISTORY_UNAVAILABLE', 'the activity log is away: nothing of it is lost', {
      cause: error,
    })
  }
  if (error instanceof StorageUnavailable) {
    return new Refusal('STORAGE_UNAVAILABLE', `the store takes nothing now: ${error.reason}`, {
      cause: error,
    })
  }
  return null
}
