import { z } from 'zod'
import { OrderSummary } from '../order.ts'
import { ErrorResponse } from './errors.ts'

/** What one batch may have: lines, and bytes with the ends of its lines. */
export const BATCH_LIMITS = { lines: 256, bytes: 4 * 2 ** 20 } as const

/** A line of the answer to a batch. */
export const BatchLine = z
  .strictObject({
    line: z.int().positive().describe('number of the line of the body, from 1'),
    status: z.int().describe('of the answer that an import alone would get: 201, or a refusal’s'),
    retryAfterSeconds: z
      .int()
      .nonnegative()
      .nullable()
      .describe('how long to wait before the line is sent again; null: the service does not say'),
    body: z
      .union([OrderSummary, ErrorResponse])
      .describe('what an import of the line alone would answer: the order, or the refusal'),
  })
  .describe('What became of one line of a batch.')
export type BatchLine = z.infer<typeof BatchLine>
