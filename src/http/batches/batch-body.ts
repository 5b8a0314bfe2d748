import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { BATCH_LIMITS } from '../../schemas/api/batch.ts'
import { atOnce } from '../answers/at-once.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body and its answer are NDJSON: a line for each of many requests. */
    isBatch?: boolean
  }
}

export const NDJSON = 'application/x-ndjson'
const MEDIA_TYPE = /^application\/x-ndjson(?: *; *charset="?utf-8"?)?$/i
const LINE_FEED = 0x0a

/** Refuses any other type before the body is read. */
export const requireNdjson = atOnce(({ headers }) => {
  if (!MEDIA_TYPE.test(headers['content-type'] ?? ''))
    throw new RefusalError('UNSUPPORTED_MEDIA_TYPE', `the body must be ${NDJSON} in UTF-8`)
})

/** Reads the body of a batch as its lines, which nothing has parsed yet; it is none of any other route. */
export function readBatchBodies(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    NDJSON,
    { parseAs: 'buffer' },
    async ({ routeOptions }: FastifyRequest, body: Buffer) => {
      if (!routeOptions.config.isBatch)
        throw new RefusalError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json')
      return linesOf(body)
    },
  )
}

/**
 * A line for each end of a line, and what follows the last one if it is not empty.
 *
 * @throws RefusalError PAYLOAD_TOO_LARGE, VALIDATION_FAILED (there is none)
 */
export function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < body.length; ) {
    if (lines.length === BATCH_LIMITS.lines)
      throw new RefusalError('PAYLOAD_TOO_LARGE', `a batch has ${BATCH_LIMITS.lines} lines at most`)
    const found = body.indexOf(LINE_FEED, from)
    const to = found < 0 ? body.length : found
    lines.push(body.subarray(from, to))
    from = to + 1
  }
  if (lines.length === 0) throw new RefusalError('VALIDATION_FAILED', 'body: a batch has a line')
  return lines
}
