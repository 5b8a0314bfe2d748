import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import {
  Circle,
  CircleSnapshot,
  CircleState,
  CircleStates,
  Lineage,
  Shard,
} from '../../schemas/api/circles.ts'
import {
  cursorParameter,
  hashParameter,
  limitParameter,
  type Parameter,
} from '../openapi/message-parameters.ts'
import { messageSchema } from '../openapi/message-schema.ts'

/** Number of states listed if `limit` is absent. */
export const DEFAULT_STATES_LIMIT = 50
export const INVALID_OUTPOINT = 'outpoint is invalid'

const outpoint: Parameter = {
  schema: z
    .string()
    .regex(/^[0-9a-fA-F]{64}:(?:0|[1-9][0-9]{0,9})$/)
    .describe('`txid:vout`, the txid in hex in either case.'),
  refusals: [INVALID_OUTPOINT],
}

/** Below `/circles`. */
export const CIRCLE_OPERATIONS = {
  readSnapshot: messageSchema({
    operationId: 'readSnapshot',
    summary: 'The whole state, as canonical bytes',
    description:
      'The body is canonical JSON (RFC 8785): its SHA-256 is the state hash, which is also the ETag. Blocks ' +
      'that arrive while it is sent are not included.',
    tags: ['circles'],
    answerHeaders: ['StateETag', 'ContentDigest', 'CirclesHeight', 'CirclesBlock'],
    response: { 200: CircleSnapshot },
  }),
  readState: messageSchema({
    operationId: 'readState',
    summary: 'The state at the tip',
    description:
      'Revision and hash of the state. Height and block are null before the first block.',
    tags: ['circles'],
    response: { 200: CircleState },
  }),
  listStates: messageSchema({
    operationId: 'listStates',
    summary: 'States of the best chain, newest first',
    description: 'One entry for each block of the best chain that changed the graph.',
    tags: ['circles'],
    querystring: { limit: limitParameter(DEFAULT_STATES_LIMIT), cursor: cursorParameter },
    response: { 200: CircleStates },
  }),
  readLineage: messageSchema({
    operationId: 'readLineage',
    summary: 'One lineage',
    description:
      'A lineage continues from circle to circle, until any other transaction spends it.',
    tags: ['circles'],
    absent: 'lineage',
    params: { id: hashParameter('lineage id') },
    response: { 200: Lineage },
  }),
  readCircle: messageSchema({
    operationId: 'readCircle',
    summary: 'One circle',
    description: 'The transaction and its members, by slot.',
    tags: ['circles'],
    absent: 'circle',
    params: { txid: hashParameter('txid') },
    response: { 200: Circle },
  }),
  readShard: messageSchema({
    operationId: 'readShard',
    summary: 'One shard, spent or not',
    description: 'An output of a circle, by its outpoint.',
    tags: ['circles'],
    absent: 'shard',
    params: { outpoint },
    response: { 200: Shard },
  }),
  readSnapshotSchema: messageSchema({
    operationId: 'readSnapshotSchema',
    summary: 'The schema of the snapshot',
    description: 'JSON Schema 2020-12; unknown properties are not allowed.',
    tags: ['circles'],
    mediaType: 'application/schema+json',
    response: { 200: z.record(z.string(), z.unknown()) },
  }),
} satisfies Record<string, FastifySchema>
