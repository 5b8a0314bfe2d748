import { z } from 'zod'
import { Hash } from './scalars.ts'

/**
 * What a relay may say to one who only reads (NIP-01, NIP-42). An event is looked at for its name
 * and time alone: whether it is true is the domain's to judge.
 */
export const RelayFrame = z.union([
  z.tuple([z.literal('EVENT'), z.string(), z.looseObject({ id: Hash, created_at: z.int() })]),
  z.tuple([z.literal('EOSE'), z.string()]),
  z.tuple([z.literal('CLOSED'), z.string(), z.string()]),
  z.tuple([z.literal('NOTICE'), z.string()]),
  z.tuple([z.literal('AUTH'), z.string()]),
])
export type RelayFrame = z.infer<typeof RelayFrame>
