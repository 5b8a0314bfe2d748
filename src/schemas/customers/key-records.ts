import { z } from 'zod'
import { Hash, Timestamp } from '../scalars.ts'

/** Names a customer's key, or a tier, in routes, settings, metrics and the log. */
export const CustomerName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must be 1 to 40 of a-z, 0-9 and dashes')

const about = {
  schema: z.literal(1),
  /** The key's own: two that were made under one name at once differ in it. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: CustomerName,
}

export const ApiKeyRecord = z.strictObject({
  ...about,
  kind: z.literal('key'),
  tier: CustomerName,
  /** The operator who made it: never shown outside. */
  operator: z.string(),
  createdAt: Timestamp,
  revokedAt: Timestamp.nullable(),
})
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>

/** What a customer sends, as its hash. */
export const KeySecretRecord = z.strictObject({
  ...about,
  kind: z.literal('secret'),
  sha256: Hash,
  madeAt: Timestamp,
  /** Accepted until then; null: until it is rotated. */
  until: Timestamp.nullable(),
})
export type KeySecretRecord = z.infer<typeof KeySecretRecord>

/** A record of the topic `customers.keys`: the last of each id holds, and of each hash the one that ends first. */
export const KeyRecord = z.discriminatedUnion('kind', [ApiKeyRecord, KeySecretRecord])
export type KeyRecord = z.infer<typeof KeyRecord>

/** Keys of one service that are not revoked. */
export const MAX_KEYS = 256

/** Secrets of a key that are accepted at the same time. */
export const MAX_KEY_SECRETS = 5

/** What the customers of a tier may use. */
export const KeyTier = z.strictObject({
  name: CustomerName,
  requests: z
    .int()
    .min(1)
    .max(10_000_000)
    .describe('requests per minute over all routes; each line of a batch is one more'),
  storedKib: z
    .int()
    .min(256)
    .max(1_073_741_824)
    .describe('KiB of proved orders that a gateway stores an hour, a third of it in one burst'),
  streams: z.int().min(0).max(10_000).describe('streams of changes at a time, at each gateway'),
  webhooks: z.int().min(0).max(32).describe('webhooks that operators may create for the key'),
})
export type KeyTier = z.infer<typeof KeyTier>
