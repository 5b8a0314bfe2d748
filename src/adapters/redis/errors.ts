import { StorageUnavailable } from '../../ports/storage-errors.ts'

/** This Redis can not hold the views as it is: told at open, with the cure. */
export class RedisRefused extends Error {
  override name = 'RedisRefused'
}

/** What the port says of a failure of Redis: no memory left, or not to be used now. */
export function storageTrouble(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  const first = firstCause(error)
  const message = first instanceof Error ? first.message : String(first)
  if (message.startsWith('OOM')) {
    return new StorageUnavailable('full', `Redis is out of memory: raise maxmemory (${message})`, {
      cause: error,
    })
  }
  if (message.startsWith('READONLY')) {
    return new StorageUnavailable('io', `Redis is a replica: name the primary (${message})`, {
      cause: error,
    })
  }
  return new StorageUnavailable('io', `Redis: ${message}`, { cause: error })
}

export const isNoScript = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT')

/** A transaction that was refused tells why in the errors of its commands. */
function firstCause(error: unknown): unknown {
  const previous =
    error instanceof Error && 'previousErrors' in error ? error.previousErrors : undefined
  return Array.isArray(previous) && previous.length > 0 ? previous[0] : error
}
