import { z } from 'zod'

/** Kinds of variables: text as it stands in the environment, and what it must be. */

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
  .refine(hasNoCredentials, 'must carry no user or password')
export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must be a redis(s) URL' })
  .refine(hasNoCredentials, 'must carry no user or password: REDIS_USER and REDIS_PASSWORD do')
export const relayUrl = z
  .url({ protocol: /^wss?$/, error: 'must be ws(s) URLs' })
  .refine(hasNoCredentials, 'must carry no user or password')
  .refine((url) => !url.includes('#'), 'must have no fragment')
  .refine((url) => url.length <= 500, 'must be at most 500 characters each')
  // One address has one spelling: the cursor of a relay is kept by it.
  .transform((url) => new URL(url).href)
export const list = z.string().transform((value) => value.split(',').map((item) => item.trim()))

// They would be printed wherever the address is: secrets have variables of their own.
function hasNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

export const hasNoQuery = (text: string): boolean =>
  !URL.canParse(text) || new URL(text).search === ''
