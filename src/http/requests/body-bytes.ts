import type { FastifyRequest } from 'fastify'
import { BATCH_LIMITS } from '../../schemas/api/batch.ts'

/**
 * Most bytes of a request's body. A PSBT of 64 KiB is twice that in hexadecimal. A transaction of
 * 400 kB is what a preflight takes, and what an inspection may find in a PSBT as the previous one. Of a
 * batch each line may have as much as any body.
 */
export const BODY_BYTES = {
  any: 262_144,
  preflight: 1_048_576,
  inspection: 1_048_576,
  batch: BATCH_LIMITS.bytes,
} as const

/** The bytes of its body as a request announces them; null: it does not say. */
export function announcedBytes({ headers }: Pick<FastifyRequest, 'headers'>): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}
