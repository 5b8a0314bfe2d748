import { StorageUnavailable } from '../../ports/storage-errors.ts'

/** The cluster is not one that this service may use; the message names the cure. */
export class KafkaRefused extends Error {
  override name = 'KafkaRefused'
}

/** Another process has the transactional id now: what this one would write is not wanted any more. */
export class WriterReplaced extends Error {
  override name = 'WriterReplaced'
}

/** What brokers answer to a producer whose transactional id was initialised anew. */
const FENCED = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_TXN_STATE',
])
/** PRODUCER_FENCED, which kafkajs has no name for. */
const FENCED_CODE = 90

/** Was this producer replaced, or its transaction ended by the broker's time-out? */
export function isFenced(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { type, code } = cause as Error & { type?: string; code?: unknown }
    if ((type !== undefined && FENCED.has(type)) || code === FENCED_CODE) return true
  }
  return false
}

/** Whether what was sent is in the log is unknown where this is thrown by a write. */
export const kafkaAway = (what: string, cause: unknown): StorageUnavailable =>
  new StorageUnavailable('io', `${what}: ${messageOf(cause)}`, { cause })

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
