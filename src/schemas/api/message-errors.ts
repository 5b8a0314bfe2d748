import { z } from 'zod'

/** The three failure shapes of the pairing and circle routes (pairing spec 7), keys in order. */

/** Shape 1: every 400 and 404. */
export const MessageResponse = z.strictObject({
  message: z.string(),
  error: z.string(),
  statusCode: z.int(),
})
export type MessageResponse = z.infer<typeof MessageResponse>

/** Shape 2: any unforeseen error. */
export const InternalError = z.strictObject({
  statusCode: z.literal(500),
  message: z.literal('Internal server error'),
})
export type InternalError = z.infer<typeof InternalError>

/** Shape 3 (rule 9): one body, whatever the cause. */
export const VerificationUnavailable = z
  .strictObject({
    status: z.literal('verification_unavailable'),
    error: z.literal('verification_unavailable'),
  })
  .describe(
    'The pipelines have not signed the same checkpoint. This is a state, not an error: keep the last verified ' +
      'value with its age, retry after a few seconds, and do not use the direct answer instead.',
  )
export type VerificationUnavailable = z.infer<typeof VerificationUnavailable>
