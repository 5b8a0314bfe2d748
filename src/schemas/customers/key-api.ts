import { z } from 'zod'
import { Timestamp } from '../scalars.ts'
import { CustomerName, KeyTier } from './key-records.ts'

export const KeyPath = z.object({ name: z.string().describe('name of the key') })

export const CreateKey = z.strictObject({
  name: CustomerName.describe('whose key it is'),
  tier: CustomerName.describe('a tier of API_TIERS'),
})
export type CreateKey = z.infer<typeof CreateKey>

const WEEK_SECONDS = 7 * 86_400

export const RotateKey = z
  .strictObject({
    previousForSeconds: z
      .int()
      .min(0)
      .max(WEEK_SECONDS)
      .default(86_400)
      .describe('how long the previous secrets are still accepted; 0: they end now'),
  })
  .nullish()
export type RotateKey = z.infer<typeof RotateKey>

export const KeyView = z
  .strictObject({
    name: CustomerName.describe('name of the customer'),
    tier: CustomerName.describe('its tier'),
    limits: KeyTier.omit({ name: true })
      .nullable()
      .describe('null: API_TIERS has no such tier, so its requests are limited as any stranger’s'),
    createdAt: Timestamp.describe('when the key was created'),
    secrets: z
      .int()
      .nonnegative()
      .describe('secrets that are accepted now: two for a day after a rotation'),
    rotatedAt: Timestamp.describe('when the newest secret was made'),
  })
  .describe('A customer’s key, without its secret.')
export type KeyView = z.infer<typeof KeyView>

export const KeyList = z.strictObject({ keys: z.array(KeyView).describe('the keys, by name') })
export type KeyList = z.infer<typeof KeyList>

export const KeyWithSecret = KeyView.extend({
  key: z
    .string()
    .describe('shown in this answer alone; sent as `Authorization: Bearer`, stored as its SHA-256'),
})
export type KeyWithSecret = z.infer<typeof KeyWithSecret>
