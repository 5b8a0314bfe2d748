import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { CursorCodec } from '../../gateway/cursor.ts'
import { cursorOf, hashOf, limitOf, parsedLimit, txidOf } from '../../pairing/fold/parameters.ts'
import { pageOf } from '../../pairing/listed.ts'
import type { CircleViews } from '../../ports/folds/circle-views.ts'
import { AbsentRecordError, InvalidQuestionError } from '../../ports/folds/question-errors.ts'
import {
  Circle,
  CircleOutpoint,
  CircleSnapshot,
  CircleState,
  CircleStates,
  circleSnapshotSchema,
  Lineage,
  Shard,
} from '../../schemas/api/circles.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import { linkNext } from '../answers/link-next.ts'
import { answerInMessages } from '../answers/message-errors.ts'
import { networksOf } from '../clients/client.ts'
import { closeUnanswered } from '../limits/admission.ts'
import {
  cursorParameter,
  hashParameter,
  limitParameter,
  type Parameter,
} from '../openapi/message-parameters.ts'
import { messageSchema } from '../openapi/message-schema.ts'
import { matches } from '../plugins/headers.ts'
import { cursorAt, queryAtPlace } from '../query/list-cursors.ts'
import { whenOver } from '../requests/when-over.ts'
import { SnapshotPlaces } from './snapshot-places.ts'

export interface CircleRoutesDeps {
  circles: CircleViews
  cursors: CursorCodec
}

/** Number of states listed if `limit` is absent. */
const DEFAULT_STATES_LIMIT = 50
/** Where a page of states ended. */
const HEIGHT = /^(?:0|[1-9][0-9]{0,8})$/
const INVALID_OUTPOINT = 'outpoint is invalid'

const outpoint: Parameter = {
  schema: z
    .string()
    .regex(/^[0-9a-fA-F]{64}:(?:0|[1-9][0-9]{0,9})$/)
    .describe('`txid:vout`, the txid in hex in either case.'),
  refusals: [INVALID_OUTPOINT],
}

const SCHEMA = JSON.stringify(circleSnapshotSchema())

/**
 * Only the `/circles` routes; their failures have body shape 1. Register it after a plugin that
 * answers other methods for the paths registered before it.
 */
export function circleRoutes(app: FastifyInstance, deps: CircleRoutesDeps): void {
  app.register(
    async (scope) => {
      answerInMessages(scope)
      addCircleRoutes(scope, deps)
    },
    { prefix: '/circles' },
  )
}

function addCircleRoutes(scope: FastifyInstance, { circles, cursors }: CircleRoutesDeps): void {
  const places = new SnapshotPlaces()
  scope.get(
    '/snapshot',
    {
      config: { isSnapshot: true },
      schema: messageSchema({
        operationId: 'readSnapshot',
        summary: 'The whole state, as canonical bytes',
        description:
          'The body is canonical JSON (RFC 8785): its SHA-256 is the state hash, which is also the ETag. Blocks ' +
          'that arrive while it is sent are not included.',
        tags: ['circles'],
        answerHeaders: ['StateETag', 'ContentDigest', 'CirclesHeight', 'CirclesBlock'],
        response: { 200: CircleSnapshot },
      }),
    },
    async (request, reply) => {
      const leave = places.take(networksOf(request))
      if (!leave) {
        closeUnanswered(request, reply)
        return reply
      }
      whenOver(reply, leave)
      return sendSnapshot(circles, request, reply)
    },
  )
  scope.get(
    '/state',
    {
      schema: messageSchema({
        operationId: 'readState',
        summary: 'The state at the tip',
        description:
          'Revision and hash of the state. Height and block are null before the first block.',
        tags: ['circles'],
        response: { 200: CircleState },
      }),
    },
    async () => circles.state(),
  )
  scope.get(
    '/states',
    {
      schema: messageSchema({
        operationId: 'listStates',
        summary: 'States of the best chain, newest first',
        description: 'One entry for each block of the best chain that changed the graph.',
        tags: ['circles'],
        querystring: { limit: limitParameter(DEFAULT_STATES_LIMIT), cursor: cursorParameter },
        response: { 200: CircleStates },
      }),
    },
    async (request, reply) => {
      const { limit, cursor } = queryAtPlace(cursors, request)
      const most = limitOf(parsedLimit(limit, DEFAULT_STATES_LIMIT))
      const below = cursorOf(cursor, HEIGHT)
      const read = circles.states(most + 1, below === undefined ? undefined : Number(below))
      const { entries, next } = pageOf(read, most, ({ height }) => String(height))
      linkNext(request, reply, cursorAt(cursors, request, next))
      return { items: entries }
    },
  )
  scope.get(
    '/lineages/:id',
    {
      schema: messageSchema({
        operationId: 'readLineage',
        summary: 'One lineage',
        description:
          'A lineage continues from circle to circle, until any other transaction spends it.',
        tags: ['circles'],
        absent: 'lineage',
        params: { id: hashParameter('lineage id') },
        response: { 200: Lineage },
      }),
    },
    async ({ params }) => {
      const id = hashOf(parameter(params, 'id'), 'lineage id')
      return circles.lineage(id) ?? AbsentRecordError.throwFor('lineage')
    },
  )
  scope.get(
    '/circles/:txid',
    {
      schema: messageSchema({
        operationId: 'readCircle',
        summary: 'One circle',
        description: 'The transaction and its members, by slot.',
        tags: ['circles'],
        absent: 'circle',
        params: { txid: hashParameter('txid') },
        response: { 200: Circle },
      }),
    },
    async ({ params }) => {
      const txid = txidOf(parameter(params, 'txid'))
      return circles.circle(txid) ?? AbsentRecordError.throwFor('circle')
    },
  )
  scope.get(
    '/shards/:outpoint',
    {
      schema: messageSchema({
        operationId: 'readShard',
        summary: 'One shard, spent or not',
        description: 'An output of a circle, by its outpoint.',
        tags: ['circles'],
        absent: 'shard',
        params: { outpoint },
        response: { 200: Shard },
      }),
    },
    async ({ params }) => {
      const outpoint = outpointOf(parameter(params, 'outpoint'))
      return circles.shard(outpoint) ?? AbsentRecordError.throwFor('shard')
    },
  )
  scope.get(
    '/schema.json',
    {
      schema: messageSchema({
        operationId: 'readSnapshotSchema',
        summary: 'The schema of the snapshot',
        description: 'JSON Schema 2020-12; unknown properties are not allowed.',
        tags: ['circles'],
        mediaType: 'application/schema+json',
        response: { 200: z.record(z.string(), z.unknown()) },
      }),
    },
    async (_request, reply) => reply.type('application/schema+json; charset=utf-8').send(SCHEMA),
  )
}

/**
 * The canonical bytes themselves, so their SHA-256 is the state hash: it is the strong ETag and, in
 * base64, the Content-Digest (RFC 9530). Blocks that arrive during sending are not in it.
 */
function sendSnapshot(
  circles: CircleViews,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { state, pieces, length } = circles.snapshot()
  const etag = `"${state.stateHash}"`
  reply.headers({ etag, 'cache-control': 'no-cache' })
  if (state.height !== null) reply.header('x-circles-height', state.height)
  if (state.blockHash !== null) reply.header('x-circles-block', state.blockHash)
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send('')
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'content-length': length,
    'content-digest': `sha-256=:${Buffer.from(state.stateHash, 'hex').toString('base64')}:`,
  })
  // For a HEAD the framework would read the whole body and send none of it.
  const body = request.method === 'HEAD' ? [] : pieces
  return reply.send(Readable.from(body, { objectMode: false }))
}

const parameter = (params: unknown, name: string): unknown =>
  (params as Record<string, unknown>)[name]

/** `txid:vout`; the txid in lowercase. */
function outpointOf(value: unknown): OutpointText {
  const outpoint = CircleOutpoint.safeParse(typeof value === 'string' ? value.toLowerCase() : value)
  if (outpoint.success) return outpoint.data
  throw new InvalidQuestionError(INVALID_OUTPOINT)
}
