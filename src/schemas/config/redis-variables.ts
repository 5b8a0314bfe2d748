import { z } from 'zod'
import { redisUrl, text, urlsIn } from './variable-kinds.ts'

/** The Redis of the views, and the login to it. */
export const REDIS_VARIABLES = {
  REDIS_URL: redisUrl
    .optional()
    .describe(
      'Redis 7 or Valkey for the order views, idempotency keys, remembered builds and rate limits, of a cluster or of sentinels several servers, comma separated; without it they are kept in DATA_DIR',
    ),
  REDIS_USER: text.optional().describe('with REDIS_PASSWORD; without it the default user'),
  REDIS_PASSWORD: text.optional().describe('secret'),
  REDIS_TLS_CA_FILE: text
    .optional()
    .describe(
      'file (PEM) of the authorities that sign the certificates of the servers, with rediss; without it those that Node trusts',
    ),
  REDIS_SENTINEL_NAME: text
    .optional()
    .describe('REDIS_URL names sentinels, which know the primary by this name'),
  REDIS_SENTINEL_USER: text
    .optional()
    .describe('login to the sentinels, with REDIS_SENTINEL_PASSWORD'),
  REDIS_SENTINEL_PASSWORD: text.optional().describe('secret; of the sentinels'),
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
    .default('market')
    .describe('prefix of all keys in Redis: a different one for each service'),
}

const Redis = z.object(REDIS_VARIABLES)
type RedisVariables = z.infer<typeof Redis>
type RedisVariable = keyof RedisVariables

/** What each variable is nothing without. */
const REQUIRED: readonly (readonly [RedisVariable, RedisVariable])[] = [
  ['REDIS_PASSWORD', 'REDIS_URL'],
  ['REDIS_USER', 'REDIS_PASSWORD'],
  ['REDIS_SENTINEL_NAME', 'REDIS_URL'],
  ['REDIS_SENTINEL_USER', 'REDIS_SENTINEL_PASSWORD'],
  ['REDIS_SENTINEL_PASSWORD', 'REDIS_SENTINEL_NAME'],
]

/** The rules across these variables: `refuse` is called for each that does not hold, with its cure. */
export function checkRedisVariables(
  value: RedisVariables,
  refuse: (variable: RedisVariable, message: string) => void,
): void {
  for (const [name, required] of REQUIRED) {
    if (value[name] !== undefined && value[required] === undefined) {
      refuse(name, `requires ${required}`)
    }
  }
  const { REDIS_URL: url } = value
  if (value.REDIS_TLS_CA_FILE !== undefined && !url?.startsWith('rediss:')) {
    refuse('REDIS_TLS_CA_FILE', 'requires REDIS_URL=rediss://…')
  }
  if (value.REDIS_SENTINEL_NAME !== undefined && url && !isWithoutDatabase(url)) {
    refuse('REDIS_URL', 'must name no database: sentinels have none')
  }
}

const isWithoutDatabase = (urls: string): boolean =>
  urlsIn(urls.split(',')).every(({ pathname }) => /^\/?$/.test(pathname))
