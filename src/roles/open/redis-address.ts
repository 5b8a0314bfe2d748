import type { RedisAddress } from '../../adapters/redis/client/redis-clients.ts'
import type { Config } from '../../schemas/config/config.ts'

export type RedisConfig = Pick<
  Config,
  | 'REDIS_USER'
  | 'REDIS_PASSWORD'
  | 'REDIS_TLS_CA_FILE'
  | 'REDIS_SENTINEL_NAME'
  | 'REDIS_SENTINEL_USER'
  | 'REDIS_SENTINEL_PASSWORD'
> & { REDIS_URL: string }

/** Does the configuration name a Redis? */
export const usesRedis = <C extends Config>(config: C): config is C & { REDIS_URL: string } =>
  config.REDIS_URL !== undefined

/** Where Redis is, and the login to it. */
export const redisAddressOf = (config: RedisConfig): RedisAddress => ({
  url: config.REDIS_URL,
  user: config.REDIS_USER,
  password: config.REDIS_PASSWORD,
  ca: config.REDIS_TLS_CA_FILE,
  sentinels: sentinelsOf(config),
})

/** Where Redis is, for a person. */
export const redisPlace = ({ REDIS_URL, REDIS_SENTINEL_NAME: name }: RedisConfig): string =>
  name === undefined ? `Redis at ${REDIS_URL}` : `Redis ${name} of the sentinels at ${REDIS_URL}`

const sentinelsOf = (config: RedisConfig): RedisAddress['sentinels'] =>
  config.REDIS_SENTINEL_NAME === undefined
    ? undefined
    : {
        name: config.REDIS_SENTINEL_NAME,
        user: config.REDIS_SENTINEL_USER,
        password: config.REDIS_SENTINEL_PASSWORD,
      }
