import { OperatorError } from '../../../ports/base-errors.ts'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'

/** Redis cannot be used as it is configured: reported at the start, with the cure. */
export class RedisRefusedError extends OperatorError {
  override name = 'RedisRefusedError'
}

/** The port's error for a failure of Redis: out of memory, or unusable now. */
export function storageTrouble(error: unknown): StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error
  const refused = redisRefusalOf(error)
  if (refused) return unusable('io', refused.message, refused)
  const message = messageOf(error)
  if (message.startsWith('OOM')) {
    return unusable('full', `Redis is out of memory: raise maxmemory (${message})`, error)
  }
  if (message.startsWith('READONLY')) {
    return unusable('io', `Redis is a replica: set REDIS_URL to the primary (${message})`, error)
  }
  return unusable('io', `Redis: ${message}`, error)
}

const unusable = (reason: 'io' | 'full', message: string, cause: unknown) =>
  new StorageUnavailableError(reason, message, { cause, store: 'redis' })

/**
 * What an operator must fix before Redis can be used; null for a fault that may pass by itself. `right`:
 * what the user lacks, if that is what is wrong.
 */
export function redisRefusalOf(error: unknown, right = 'a permission'): RedisRefusedError | null {
  if (error instanceof RedisRefusedError) return error
  const message = messageOf(error)
  // Without its cause, which holds what was sent: the password.
  const refuse = (words: string) => new RedisRefusedError(`${words} (${message})`)
  if (message.startsWith('WRONGPASS')) {
    return refuse('Redis rejected the user or password: set REDIS_USER and REDIS_PASSWORD')
  }
  if (message.startsWith('NOAUTH')) {
    return refuse(
      'Redis requires a password: set REDIS_PASSWORD, and REDIS_USER if it is not the default user',
    )
  }
  if (/^ERR .*cluster support disabled/.test(message)) {
    return refuse('REDIS_URL names several servers, but they are no Redis Cluster: name one')
  }
  // `EXEC` itself is refused as a transaction that was discarded.
  if (/^(?:EXECABORT .*because of: )?NOPERM\b/.test(message)) {
    return refuse(`the Redis user lacks ${right}: grant what "market acl redis" prints`)
  }
  return null
}

export const isNoScript = (error: unknown): boolean => messageOf(error).startsWith('NOSCRIPT')

/**
 * The server is no longer, or not yet, the one that takes writes: a primary was demoted, or reads its
 * data first.
 */
export const isDemotion = (error: unknown): boolean =>
  /^(?:READONLY|LOADING|MASTERDOWN)\b/.test(messageOf(error))

/** ioredis gave a command up: the server did not answer in time. */
export const isOverTime = (error: unknown): boolean => messageOf(error) === 'Command timed out'

/** The error, with a message that says what is wrong. */
export function plainError(error: unknown): unknown {
  const message = messageOf(error)
  return error instanceof Error && error.message === message
    ? error
    : new Error(message, { cause: error })
}

/**
 * A refused transaction gives the reason in the errors of its commands, and a cluster without a usable
 * server in the error of the last that was tried.
 */
function messageOf(error: unknown): string {
  const previous =
    error instanceof Error && 'previousErrors' in error ? error.previousErrors : undefined
  const first = Array.isArray(previous) && previous.length > 0 ? previous[0] : error
  if (first instanceof Error && 'lastNodeError' in first && first.lastNodeError !== null) {
    const last = messageOf(first.lastNodeError)
    return last === 'Connection is closed.' ? 'no server of the cluster answers' : last
  }
  const message = first instanceof Error ? first.message : String(first)
  return NO_PRIMARY.test(message) ? noPrimary(message) : message
}

/** What ioredis says when no sentinel has named a primary, and what the last has answered. */
const NO_PRIMARY = /^All sentinels are unreachable\b.*?(?: Last error: (.+))?$/s

function noPrimary(message: string): string {
  const [, last = 'No such master'] = NO_PRIMARY.exec(message) ?? []
  const why = last.includes('No such master') ? 'none knows REDIS_SENTINEL_NAME' : last
  return `no sentinel names a primary: ${why}`
}
