import { Redis, type RedisOptions } from 'ioredis'

export interface RedisAddress {
  /** `redis://…` or `rediss://…` */
  url: string
  user?: string | undefined
  password?: string | undefined
}

const COMMAND_MS = 2_000
export const CONNECT_MS = 5_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MOST_MS = 1_000

/**
 * A connection for commands: each fails fast, and none is ever sent twice. It is connected again, its
 * name looked up each time, while `isInUse`.
 */
export const commandsClient = (address: RedisAddress, isInUse: () => boolean): Redis =>
  new Redis(address.url, {
    ...optionsOf(address),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => (isInUse() ? retryMs(times) : null),
  })

/**
 * A connection that listens, and is connected again until it is closed. Whoever listens subscribes at
 * each `ready`: ioredis would do it unawaited, and a subscription that fails would end the process.
 */
export const listenerClient = (address: RedisAddress): Redis =>
  new Redis(address.url, {
    ...optionsOf(address),
    maxRetriesPerRequest: null,
    autoResubscribe: false,
    retryStrategy: retryMs,
  })

/** Ends a connection once what was sent has been answered, or was not in time. */
export function letGo(redis: Redis): void {
  redis
    .quit()
    .catch(() => undefined)
    .finally(() => redis.disconnect())
}

const retryMs = (times: number): number =>
  Math.min(RECONNECT_FIRST_MS * 2 ** times, RECONNECT_MOST_MS)

const optionsOf = ({ user, password }: RedisAddress): RedisOptions => ({
  lazyConnect: true,
  autoResendUnfulfilledCommands: false,
  commandTimeout: COMMAND_MS,
  connectTimeout: CONNECT_MS,
  ...(user === undefined ? {} : { username: user }),
  ...(password === undefined ? {} : { password }),
})
