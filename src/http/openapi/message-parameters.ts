import { z } from 'zod'
import { INVALID, LIMIT } from '../../pairing/parameters.ts'

/** A path or query parameter: its meaning, and every message about an invalid value. */
export interface Parameter {
  schema: z.ZodType
  refusals: readonly string[]
}

/** 32 bytes in hex; `name` as it appears in the refusal. */
export const hashParameter = (name: string): Parameter => ({
  schema: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .describe('In hex of either case; answers have it in lowercase.'),
  refusals: [INVALID.hash(name)],
})

export const limitParameter = (byDefault: number): Parameter => ({
  schema: z
    .int()
    .min(LIMIT.least)
    .max(LIMIT.most)
    .default(byDefault)
    .describe('The most that is answered; others are refused, not clamped.'),
  refusals: [INVALID.integer, INVALID.limit],
})
