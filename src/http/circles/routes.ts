import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CursorCodec } from '../../gateway/cursor.ts'
import { RefusalError } from '../../gateway/refusal.ts'
import { cursorOf, hashOf, limitOf, parsedLimit, txidOf } from '../../pairing/fold/parameters.ts'
import { pageOf } from '../../pairing/listed.ts'
import type { CircleViews } from '../../ports/folds/circle-views.ts'
import { AbsentRecordError, InvalidQuestionError } from '../../ports/folds/question-errors.ts'
import {
  CircleOutpoint,
  type CircleState,
  circleSnapshotSchema,
} from '../../schemas/api/circles.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import { linkNext } from '../answers/link-next.ts'
import { answerInMessages } from '../answers/message-errors.ts'
import { networksOf } from '../clients/client.ts'
import { closeUnanswered } from '../limits/admission.ts'
import { FairSlots } from '../limits/fair-slots.ts'
import { matches } from '../plugins/headers.ts'
import { cursorAt, queryAtPlace } from '../query/list-cursors.ts'
import { whenOver } from '../requests/when-over.ts'
import { CIRCLE_OPERATIONS, DEFAULT_STATES_LIMIT, INVALID_OUTPOINT } from './operations.ts'

export interface CircleRoutesDeps {
  circles: CircleViews
  cursors: CursorCodec
}

/** Snapshots that are sent at once. */
const SNAPSHOTS = { perClient: 2, inAll: 64 }
/** Where a page of states ended. */
const HEIGHT = /^(?:0|[1-9][0-9]{0,8})$/

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
  const slots = new FairSlots('snapshots', SNAPSHOTS)
  scope.get(
    '/snapshot',
    {
      config: { isSnapshot: true },
      schema: CIRCLE_OPERATIONS.readSnapshot,
    },
    async (request, reply) => {
      const isWhole = request.method === 'GET' && !isKnown(circles.state(), request)
      if (isWhole && !takeSlot(slots, request, reply)) return reply
      return sendSnapshot(circles, request, reply)
    },
  )
  scope.get('/state', { schema: CIRCLE_OPERATIONS.readState }, async () => circles.state())
  scope.get('/states', { schema: CIRCLE_OPERATIONS.listStates }, async (request, reply) => {
    const { limit, cursor } = queryAtPlace(cursors, request)
    const most = limitOf(parsedLimit(limit, DEFAULT_STATES_LIMIT))
    const below = cursorOf(cursor, HEIGHT)
    const read = circles.states(most + 1, below === undefined ? undefined : Number(below))
    const { entries, next } = pageOf(read, most, ({ height }) => String(height))
    linkNext(request, reply, cursorAt(cursors, request, next))
    return { items: entries }
  })
  scope.get('/lineages/:id', { schema: CIRCLE_OPERATIONS.readLineage }, async ({ params }) => {
    const id = hashOf(parameter(params, 'id'), 'lineage id')
    return circles.lineage(id) ?? AbsentRecordError.throwFor('lineage')
  })
  scope.get('/circles/:txid', { schema: CIRCLE_OPERATIONS.readCircle }, async ({ params }) => {
    const txid = txidOf(parameter(params, 'txid'))
    return circles.circle(txid) ?? AbsentRecordError.throwFor('circle')
  })
  scope.get('/shards/:outpoint', { schema: CIRCLE_OPERATIONS.readShard }, async ({ params }) => {
    const outpoint = outpointOf(parameter(params, 'outpoint'))
    return circles.shard(outpoint) ?? AbsentRecordError.throwFor('shard')
  })
  scope.get(
    '/schema.json',
    { schema: CIRCLE_OPERATIONS.readSnapshotSchema },
    async (_request, reply) => reply.type('application/schema+json; charset=utf-8').send(SCHEMA),
  )
}

/** False if no slot is free: the contract has no refusal for that, so the connection is closed. */
function takeSlot(slots: FairSlots, request: FastifyRequest, reply: FastifyReply): boolean {
  const holder = { isIdle: () => false, end: () => void request.raw.destroy() }
  try {
    whenOver(reply, slots.take(networksOf(request), holder))
    return true
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    closeUnanswered(request, reply)
    return false
  }
}

const etagOf = ({ stateHash }: CircleState): string => `"${stateHash}"`

/** Does the client have these bytes? */
const isKnown = (state: CircleState, { headers }: FastifyRequest): boolean =>
  matches(headers['if-none-match'], etagOf(state))

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
  reply.headers({ etag: etagOf(state), 'cache-control': 'no-cache' })
  if (state.height !== null) reply.header('x-circles-height', state.height)
  if (state.blockHash !== null) reply.header('x-circles-block', state.blockHash)
  if (isKnown(state, request)) return reply.code(304).send('')
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
