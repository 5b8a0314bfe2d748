import { z } from 'zod'
import { LOG_SCHEMA } from './log.ts'
import { Hash, Network, Timestamp } from './scalars.ts'

const Hex = (characters: number) => z.string().regex(new RegExp(`^[0-9a-f]{${characters}}$`))

/** What is signed of a partition's lifecycle: all its records from one offset up to another. */
export const LogHead = z.strictObject({
  schema: z.literal(LOG_SCHEMA),
  kind: z.literal('head'),
  network: Network,
  partition: z.int().nonnegative(),
  /** The offset from which records are counted: the end of the log when the first head was signed. */
  from: z.int().nonnegative(),
  /** The offset after the last record that is counted. */
  offset: z.int().nonnegative(),
  count: z.int().nonnegative(),
  /** The last of a chain of hashes over them (`domain/heads/log-digest.ts`). */
  digest: Hash,
  at: Timestamp,
})
export type LogHead = z.infer<typeof LogHead>

/** A record of `orders.heads`. */
export const SignedHead = z.strictObject({
  ...LogHead.shape,
  /** x-only (BIP 340). */
  publicKey: Hex(64),
  signature: Hex(128),
})
export type SignedHead = z.infer<typeof SignedHead>
