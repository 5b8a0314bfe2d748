import { z } from 'zod'
import { flag, hasNoQuery, httpUrl, list, whole } from './variable-kinds.ts'

/** What a pipeline signs with: both or none. */
export const SIGNING_KEY = ['PAIRING_KEY_ID', 'PAIRING_PRIVATE_KEY'] as const
const keyId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
/** A signed value: it is sent to every reader. */
const release = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters without spaces')

/** The keys trusted as a pipeline: x-only public keys (BIP340) by their id. */
const trustedKeys = list
  .pipe(
    z
      .array(
        z
          .string()
          .regex(
            /^[A-Za-z0-9._-]{1,64}:[0-9a-f]{64}$/,
            'must be keyId:x-only public key in lowercase hex, comma separated',
          ),
      )
      .max(16, 'must be at most 16 keys'),
  )
  .refine(
    (keys) => new Set(keys.map((key) => key.split(':')[0])).size === keys.length,
    'must name each key id once',
  )
  .optional()

/** Variables of the services that fold whole blocks: the pairing pipeline and the circles. */
export const FOLD_VARIABLES = {
  PAIRING_ENABLED: flag
    .default(true)
    .describe('false: ROLE=all runs no pairing pipeline and serves none of its routes'),
  PAIRING_DEPLOYMENT: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
    .optional()
    .describe('deployment that both pipelines index; by default pairing-<network>'),
  PAIRING_START_HEIGHT: whole(0, 1_000_000_000)
    .optional()
    .describe(
      'first block of the deployment, fixed when its index is created; required on mainnet, 0 elsewhere',
    ),
  PAIRING_MAGIC: z
    .string()
    .regex(/^[\x21-\x7e]{4}$/, 'must be 4 printable ASCII characters')
    .default('PAIR')
    .describe('prefix of its markers, fixed when its index is created'),
  PAIRING_MAX_BLOCK_LAG: whole(0, 1_000)
    .default(2)
    .describe('blocks by which the pairing index may differ from its node and still be ready'),
  PAIRING_PIPELINE: z
    .enum(['A', 'B'])
    .default('A')
    .describe('pipeline that this process is, and signs as'),
  PAIRING_KEY_ID: keyId.optional().describe('id of the signing key; requires PAIRING_PRIVATE_KEY'),
  PAIRING_PRIVATE_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in lowercase hex')
    .optional()
    .describe('secret; prefer PAIRING_PRIVATE_KEY_FILE: market pairing keygen writes that file'),
  PAIRING_RELEASE_NAME: release
    .optional()
    .describe('signed: name of the release; by default market'),
  PAIRING_RELEASE_VERSION: release
    .optional()
    .describe('signed: version of the release; by default that of this build'),
  PAIRING_RELEASE_COMMIT: release
    .optional()
    .describe('signed: commit that the release was built from; by default that of this build'),
  PAIRING_RELEASE_DIGEST: release
    .optional()
    .describe('signed: digest of the release; by default that of the programs of this build'),
  PAIRING_TRUSTED_A: trustedKeys.describe(
    'keys trusted to sign as pipeline A, keyId:x-only public key in hex, comma separated',
  ),
  PAIRING_TRUSTED_B: trustedKeys.describe('keys trusted to sign as pipeline B, in the same format'),
  PAIRING_B_URL: httpUrl
    .refine(hasNoQuery, 'must have no query')
    .optional()
    .describe('URL of the other pipeline; without it verified routes withhold every answer'),
  PAIRING_B_TIMEOUT_MS: whole(10, 60_000)
    .default(2_000)
    .describe('timeout of requests to the other pipeline, in milliseconds'),
  PAIRING_MAINNET_VERIFIED: flag
    .default(false)
    .describe('true: verified routes also answer on mainnet; no effect on other networks'),
  CIRCLES_ENABLED: flag
    .default(true)
    .describe('false: ROLE=all indexes no circles and serves none of their routes'),
  CIRCLES_START_HEIGHT: whole(0, 1_000_000_000)
    .optional()
    .describe(
      'first block that can contain circles, fixed when their graph is created; required on mainnet, 0 elsewhere',
    ),
}
