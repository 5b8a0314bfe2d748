import type { FastifySchema } from 'fastify'
import { ImportRequest } from '../../schemas/api/api.ts'
import { BATCH_LIMITS, BatchLine } from '../../schemas/api/batch.ts'
import { NDJSON } from '../batches/batch-body.ts'

/** Many requests in one. */
export const BATCH_OPERATIONS = {
  importBatch: {
    operationId: 'importBatch',
    summary: 'Import many signed orders, for customers',
    description:
      `NDJSON: up to ${BATCH_LIMITS.lines} lines and ${BATCH_LIMITS.bytes / 2 ** 20} MiB, each line the body of an import, of 256 KiB at most. Each is ` +
      'answered by a line, in order, as soon as it and all before it are decided: the order or the ' +
      'refusal that an import alone would get, with its status. Each line counts as a request of the ' +
      'key. 4 batches of a key are in progress at a time. The answer ends early only with its ' +
      'connection: send the lines again that have no answer, the same order is never there twice. ' +
      'The schemas are of one line.',
    tags: ['listing'],
    security: [{ customer: [] }],
    refusals: [],
    mediaType: NDJSON,
    bodyType: NDJSON,
    body: ImportRequest,
    response: { 200: BatchLine },
  },
} satisfies Record<string, FastifySchema>
