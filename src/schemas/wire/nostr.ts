import { z } from 'zod'
import { Hash } from '../scalars.ts'

/** The kind of a portable sale order (openordex NIP: "PSBT sale"). */
export const SALE_EVENT_KIND = 802

const Tag = z.array(z.string().max(8_192)).max(64)

/**
 * A signed event as received (NIP-01). Open: unnamed fields are ignored. What the event means, and
 * whether its id and signature are valid, is for the domain to judge.
 */
export const NostrEvent = z.object({
  id: Hash,
  pubkey: Hash,
  created_at: z.int().nonnegative(),
  kind: z.int().min(0).max(65_535),
  tags: z.array(Tag).max(256),
  content: z.string(),
  sig: z.string().regex(/^[0-9a-f]{128}$/, 'must be 128 lowercase hex digits'),
})
export type NostrEvent = z.infer<typeof NostrEvent>

/**
 * An unsigned announcement for the customer's own signer (gateway spec 2.2): the service holds no
 * keys.
 */
export const NostrEnvelope = z.strictObject({
  kind: z.literal(SALE_EVENT_KIND),
  /** Unix seconds. */
  created_at: z.int(),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  notice: z.string(),
})
export type NostrEnvelope = z.infer<typeof NostrEnvelope>
