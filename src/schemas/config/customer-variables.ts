import { z } from 'zod'
import { KeyTier } from '../customers/key-records.ts'
import { whole } from './variable-kinds.ts'

const FORM = 'must be a JSON list of {"name", "requests", "storedKib", "streams", "webhooks"}'
const MAX_TIERS = 16

const Tiers = z
  .array(KeyTier)
  .max(MAX_TIERS)
  .refine(
    (all) => new Set(all.map(({ name }) => name)).size === all.length,
    'must have each name once',
  )

/** What a service has without the setting: a customer who reads, and one who lists thousands. */
const DEFAULT_TIERS: KeyTier[] = [
  { name: 'standard', requests: 6_000, storedKib: 131_072, streams: 32, webhooks: 2 },
  { name: 'maker', requests: 30_000, storedKib: 1_048_576, streams: 64, webhooks: 8 },
]

/** Kept as it is written, so that it is printed as it is written: `keyTiersOf` reads it. */
const tiers = z.string().superRefine((text, context) => {
  const [issue] = Tiers.safeParse(jsonOf(text)).error?.issues ?? []
  if (!issue) return
  const where = issue.path.join('.')
  const message = where ? `${FORM}: ${where}: ${issue.message}` : `${FORM}: ${issue.message}`
  context.addIssue({ code: 'custom', message })
})

/** The tiers of API_TIERS, by name. */
export const keyTiersOf = ({ API_TIERS }: { API_TIERS: string }): ReadonlyMap<string, KeyTier> =>
  new Map(Tiers.parse(jsonOf(API_TIERS)).map((tier) => [tier.name, tier]))

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Variables of customers, who send the key that an operator made for them. */
export const CUSTOMER_VARIABLES = {
  API_TIERS: tiers
    .default(JSON.stringify(DEFAULT_TIERS))
    .describe(
      'what customers with a key may use: a JSON list of {"name", "requests" a minute, "storedKib" an hour, "streams" at a time, "webhooks"}',
    ),
  RATE_LIMIT_KEYS: whole(1, 100_000_000)
    .default(60_000)
    .describe(
      'requests per minute, and lines of batches, of all customers of a gateway together; those of others are not among them',
    ),
  RATE_LIMIT_KEYS_PROVED_KIB: whole(256, 1_073_741_824)
    .default(4_194_304)
    .describe(
      'KiB of proved orders that a gateway stores an hour for all customers together, a third of it in one burst',
    ),
  MAX_KEY_STREAMS: whole(0, 1_000_000)
    .default(500)
    .describe(
      'streams of changes that a gateway serves at a time to all customers together, beside MAX_STREAMS',
    ),
}
