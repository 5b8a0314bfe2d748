import { z } from 'zod'
import {
  Circle,
  CircleSnapshot,
  CircleState,
  CircleStates,
  Lineage,
  Shard,
} from '../../schemas/api/circles.ts'
import { messageOperations } from '../openapi/message-operations.ts'
import { hashParameter, limitParameter, type Parameter } from '../openapi/message-parameters.ts'

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

export const circleOperations = messageOperations('circles', {
  readSnapshot: {
    summary: 'The whole state, as canonical bytes',
    description:
      'The body is canonical JSON (RFC 8785): its SHA-256 is the state hash, which is also the ETag. Blocks ' +
      'that arrive while it is sent are not included.',
    answer: CircleSnapshot,
    answerHeaders: ['StateETag', 'ContentDigest', 'CirclesHeight', 'CirclesBlock'],
  },
  readState: {
    summary: 'The state at the tip',
    description:
      'Revision and hash of the state. Height and block are null before the first block.',
    answer: CircleState,
  },
  listStates: {
    summary: 'States of the best chain, newest first',
    description: 'One entry for each block of the best chain that changed the graph.',
    query: { limit: limitParameter(DEFAULT_STATES_LIMIT) },
    answer: CircleStates,
  },
  readLineage: {
    summary: 'One lineage',
    description:
      'A lineage continues from circle to circle, until any other transaction spends it.',
    path: { id: hashParameter('lineage id') },
    answer: Lineage,
    absent: 'lineage',
  },
  readCircle: {
    summary: 'One circle',
    description: 'The transaction and its members, by slot.',
    path: { txid: hashParameter('txid') },
    answer: Circle,
    absent: 'circle',
  },
  readShard: {
    summary: 'One shard, spent or not',
    description: 'An output of a circle, by its outpoint.',
    path: { outpoint },
    answer: Shard,
    absent: 'shard',
  },
  readSnapshotSchema: {
    summary: 'The schema of the snapshot',
    description: 'JSON Schema 2020-12; unknown properties are not allowed.',
    answer: z.record(z.string(), z.unknown()),
    mediaType: 'application/schema+json',
  },
})
