import { z } from 'zod'

/** Kinds of variables: their text in the environment, and its rules. */

export const text = z.string().min(1, 'must not be empty')
export const flag = z
  .enum(['true', 'false', 'on', 'off'])
  .transform((value) => value === 'true' || value === 'on')
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
  .refine(hasNoCredentials, 'must not contain a user or password')
const oneRedisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must be a redis(s) URL' })
  .refine(
    hasNoCredentials,
    'must not contain a user or password: use REDIS_USER and REDIS_PASSWORD',
  )
/** The URL of one server, or of several servers of a cluster, which has one database. */
export const redisUrl = z
  .string()
  .transform((value) => value.replace(/\s*,\s*/g, ',').trim())
  .superRefine((value, { addIssue }) => {
    const texts = value.split(',')
    const wrong = texts.flatMap((one) => oneRedisUrl.safeParse(one).error?.issues ?? [])
    for (const message of new Set(wrong.map(({ message }) => message))) addIssue(message)
    if (wrong.length > 0) return
    const urls = urlsIn(texts)
    if (urls.length > 1 && !urls.every(({ pathname }) => /^\/?0?$/.test(pathname)))
      addIssue('must name no database: a Redis Cluster has only the first')
    if (new Set(urls.map(({ protocol }) => protocol)).size > 1)
      addIssue('must be all redis:// or all rediss://')
  })
export const relayUrl = z
  .url({ protocol: /^wss?$/, error: 'must be ws(s) URLs' })
  .refine(hasNoCredentials, 'must not contain a user or password')
  .refine((url) => !url.includes('#'), 'must not have a fragment')
  .refine((url) => url.length <= 500, 'must be at most 500 characters each')
  // One address has one spelling: a relay's cursor is stored under it.
  .transform((url) => new URL(url).href)
export const list = z.string().transform((value) => value.split(',').map((item) => item.trim()))

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** A server of any kind: IPv6 in brackets. */
export const hostPort = z
  .string()
  .regex(/^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+):[0-9]{1,5}$/, 'must be host:port, comma separated')

/** Is the host of a URL, or of host:port, this machine? */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/**
 * The proxies whose X-Forwarded-For counts: addresses and networks, or the number of chained
 * proxies.
 */
export const trustedProxies = z.union([
  z
    .string()
    .regex(/^[1-9]$/)
    .transform(Number),
  list.refine(
    (entries) =>
      entries.every((entry) => Network.safeParse(entry).success && !entry.endsWith('/0')),
    'must be IP addresses and CIDR ranges (/0 would trust every address), comma separated, or the number of proxies, 1 to 9',
  ),
])

/** As a browser sends them: scheme, host and port, nothing behind. */
export const allowedOrigins = list.refine(
  (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
  'must be `*` or origins such as https://app.example, comma separated',
)

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

// They would be printed along with the address: secrets have variables of their own.
function hasNoCredentials(text: string): boolean {
  return urlsIn([text]).every(({ username, password }) => username === '' && password === '')
}

export const hasNoQuery = (text: string): boolean =>
  urlsIn([text]).every(({ search }) => search === '')

/** The texts that are URLs, parsed: a rule also reads a value that another rule has refused. */
export function urlsIn(texts: readonly string[]): URL[] {
  return texts.filter((text) => URL.canParse(text)).map((text) => new URL(text))
}
