import { z } from 'zod'
import { INVALID, LIMIT } from '../../pairing/fold/parameters.ts'

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
    .describe('Hex in either case; answers use lowercase.'),
  refusals: [INVALID.hash(name)],
})

export const cursorParameter: Parameter = {
  schema: z
    .string()
    .optional()
    .describe('Where the list continues: an opaque value from the `Link` of the previous page.'),
  refusals: [INVALID.cursor],
}

export const limitParameter = (byDefault: number): Parameter => ({
  schema: z
    .int()
    .min(LIMIT.least)
    .max(LIMIT.most)
    .default(byDefault)
    .describe('Maximum number of entries; a value out of range is rejected, not clamped.'),
  refusals: [INVALID.integer, INVALID.limit],
})
