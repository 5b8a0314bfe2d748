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
    'Both pipelines did not sign for the same just now. A state, not an error: keep the last verified ' +
      'value with its age, ask again after some seconds, and do not take the direct answer in its place.',
  )
export type VerificationUnavailable = z.infer<typeof VerificationUnavailable>
