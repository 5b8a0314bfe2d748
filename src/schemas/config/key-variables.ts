import { z } from 'zod'
import { list } from './variable-kinds.ts'

const KEY = /^[0-9a-f]{64}$/

/** Keys of a gateway itself and of the log; the keys of webhooks and of pairing are with their variables. */
export const KEY_VARIABLES = {
  CURSOR_KEY: list
    .pipe(z.array(z.string().min(32, 'each key needs at least 32 characters')).max(2))
    .optional()
    .describe(
      'secret; HMAC key of list cursors, or two for rotation; by default generated once in DATA_DIR',
    ),
  BUNDLE_KEY: z
    .string()
    .regex(KEY, 'must be 32 bytes in lowercase hex')
    .optional()
    .describe(
      'secret; private key (BIP340) that signs bundles of orders, the same in all gateways: market pairing keygen writes one; by default generated once in DATA_DIR with ROLE=all, elsewhere bundles are not signed',
    ),
  HEADS_KEY: z
    .string()
    .regex(KEY, 'must be 32 bytes in lowercase hex')
    .optional()
    .describe(
      'secret; private key (BIP340) by which actors sign what they wrote to the log, the same in all of them: market pairing keygen writes one; by default nothing is signed',
    ),
  HEADS_PUBLIC_KEYS: list
    .pipe(z.array(z.string().regex(KEY, 'each key must be 32 bytes in lowercase hex')).max(8))
    .optional()
    .describe(
      'public keys whose heads of the log count, beside that of HEADS_KEY: for market audit and restore, and after a change of HEADS_KEY',
    ),
}
