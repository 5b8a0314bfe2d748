import { z } from 'zod'

/** The three failure shapes of the pairing and circle routes (pairing spec 7), keys in order. */

/** Shape 1: every 400 and 404. */
export const MessageResponse = z.strictObject({
  message: z.string().describe('the exact reason'),
  error: z.string().describe('the name of the HTTP status'),
  statusCode: z.int().describe('the HTTP status'),
})
export type MessageResponse = z.infer<typeof MessageResponse>

/** Shape 2: any unforeseen error. */
export const InternalError = z.strictObject({
  statusCode: z.literal(500).describe('always 500'),
  message: z
    .literal('Internal server error')
    .describe('always the same: the details are in the log of the service'),
})
export type InternalError = z.infer<typeof InternalError>

/** Shape 3 (rule 9): one body, whatever the cause. */
export const VerificationUnavailable = z
  .strictObject({
    status: z.literal('verification_unavailable').describe('always the same, whatever the cause'),
    error: z.literal('verification_unavailable').describe('always the same, whatever the cause'),
  })
  .describe(
    'The pipelines have not signed the same checkpoint. This is a state, not an error: keep the last verified ' +
      'value with its age, retry after a few seconds, and do not use the direct answer instead.',
  )
export type VerificationUnavailable = z.infer<typeof VerificationUnavailable>
