import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashOf, limitOf, parsedLimit, txidOf } from '../../pairing/parameters.ts'
import type { CircleViews } from '../../ports/folds/circle-views.ts'
import { absent, badRequest } from '../../ports/folds/message-refusal.ts'
import { CircleOutpoint, circleSnapshotSchema } from '../../schemas/api/circles.ts'
import { answerInMessages } from '../message-errors.ts'
import { closeUnanswered } from '../plugins/admission.ts'
import { matches } from '../plugins/headers.ts'
import { circleOperations, DEFAULT_STATES_LIMIT, INVALID_OUTPOINT } from './operations.ts'

export interface CircleRoutesDeps {
  circles: CircleViews
}

/** Each snapshot holds a whole graph in memory until its client has read it. */
const SNAPSHOTS_AT_ONCE = 4

const SCHEMA = JSON.stringify(circleSnapshotSchema())

/**
 * Only the `/circles` routes; their failures have body shape 1. Register it after a plugin that
 * answers other methods for the paths registered before it.
 */
export function circleRoutes(app: FastifyInstance, { circles }: CircleRoutesDeps): void {
  app.register(
    async (scope) => {
      answerInMessages(scope)
      let sending = 0
      scope.get('/snapshot', { schema: circleOperations.readSnapshot }, async (request, reply) => {
        if (sending === SNAPSHOTS_AT_ONCE) {
          closeUnanswered(request, reply)
          return reply
        }
        sending += 1
        reply.raw.once('close', () => {
          sending -= 1
        })
        return sendSnapshot(circles, request, reply)
      })
      scope.get('/state', { schema: circleOperations.readState }, async () => circles.state())
      scope.get('/states', { schema: circleOperations.listStates }, async ({ query }) => {
        const { limit } = query as Record<string, unknown>
        return { items: circles.states(limitOf(parsedLimit(limit, DEFAULT_STATES_LIMIT))) }
      })
      scope.get('/lineages/:id', { schema: circleOperations.readLineage }, async ({ params }) => {
        const id = hashOf(parameter(params, 'id'), 'lineage id')
        return circles.lineage(id) ?? absent('lineage')
      })
      scope.get('/circles/:txid', { schema: circleOperations.readCircle }, async ({ params }) => {
        const txid = txidOf(parameter(params, 'txid'))
        return circles.circle(txid) ?? absent('circle')
      })
      scope.get('/shards/:outpoint', { schema: circleOperations.readShard }, async ({ params }) => {
        const outpoint = outpointOf(parameter(params, 'outpoint'))
        return circles.shard(outpoint) ?? absent('shard')
      })
      scope.get(
        '/schema.json',
        { schema: circleOperations.readSnapshotSchema },
        async (_request, reply) =>
          reply.type('application/schema+json; charset=utf-8').send(SCHEMA),
      )
    },
    { prefix: '/circles' },
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
function outpointOf(value: unknown): string {
  const outpoint = CircleOutpoint.safeParse(typeof value === 'string' ? value.toLowerCase() : value)
  if (outpoint.success) return outpoint.data
  throw badRequest(INVALID_OUTPOINT)
}
