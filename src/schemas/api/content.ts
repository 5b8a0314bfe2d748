import { z } from 'zod'

export const ContentPath = z.object({
  inscriptionId: z.string().describe('the inscription, `<reveal txid>i<index>`'),
})

/** The bytes as they were inscribed, of the media type that the answer names. */
export const ContentBody = z
  .string()
  .describe('the content, in the media type that `Content-Type` gives: here text')
