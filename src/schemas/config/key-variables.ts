import { z } from 'zod'
import { list } from './variable-kinds.ts'

/** Keys of a gateway itself; the keys of webhooks and of pairing are with their variables. */
export const KEY_VARIABLES = {
  CURSOR_KEY: list
    .pipe(z.array(z.string().min(32, 'each key needs at least 32 characters')).max(2))
    .optional()
    .describe(
      'secret; HMAC key of list cursors, or two for rotation; by default generated once in DATA_DIR',
    ),
  BUNDLE_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in lowercase hex')
    .optional()
    .describe(
      'secret; private key (BIP340) that signs bundles of orders, the same in all gateways: market pairing keygen writes one; by default generated once in DATA_DIR with ROLE=all, elsewhere bundles are not signed',
    ),
}
