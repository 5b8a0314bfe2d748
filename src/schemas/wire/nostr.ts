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
  id: Hash.describe('id of the event (NIP-01)'),
  pubkey: Hash.describe('x-only public key that signed it'),
  created_at: z.int().nonnegative().describe('when it was made, Unix seconds'),
  kind: z.int().min(0).max(65_535).describe('kind of the event: 802'),
  tags: z
    .array(Tag)
    .max(256)
    .describe('tags of the event: network, side, inscription, output, price, market'),
  content: z.string().describe('the signed PSBT, base64'),
  sig: z
    .string()
    .regex(/^[0-9a-f]{128}$/, 'must be 128 lowercase hex digits')
    .describe('signature of the id (BIP 340)'),
})
export type NostrEvent = z.infer<typeof NostrEvent>

/**
 * An unsigned announcement for the customer's own signer (gateway spec 2.2): the service holds no
 * keys.
 */
export const NostrEnvelope = z.strictObject({
  kind: z.literal(SALE_EVENT_KIND).describe('kind of the event: 802'),
  created_at: z.int().describe('when it was made, Unix seconds'),
  tags: z
    .array(z.array(z.string()))
    .describe('tags of the event: network, side, inscription, output, price, market'),
  content: z.string().describe('the signed PSBT, base64'),
  notice: z.string().describe('what the signer should know'),
})
export type NostrEnvelope = z.infer<typeof NostrEnvelope>
