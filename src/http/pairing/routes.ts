import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PairingService } from '../../pairing/pairing-service.ts'
import {
  type Ask,
  askAddress,
  askCarrier,
  askCarriers,
  askCheckpoints,
  askEvents,
  askObject,
  askObjects,
  askSearch,
  askTransaction,
} from '../../pairing/questions.ts'
import { answerInMessages } from '../message-errors.ts'

/** Below `/pairing`: what each path asks. */
const DIRECT: Readonly<Record<string, Ask>> = {
  '/objects': askObjects,
  '/objects/:objectKey': askObject,
  '/carriers': askCarriers,
  '/carriers/:txid/:vout': askCarrier,
  '/checkpoints': askCheckpoints,
  '/events/:txid': askEvents,
  '/transactions/:txid': askTransaction,
}

/** Below `/pairing/verified`: answered only where the other pipeline agrees. */
const VERIFIED: Readonly<Record<string, Ask>> = {
  '/objects/:objectKey': askObject,
  '/search': askSearch,
  '/addresses/:address': askAddress,
}

/** Rule 9: one body, whatever the cause. */
const VERIFICATION_UNAVAILABLE = {
  status: 'verification_unavailable',
  error: 'verification_unavailable',
} as const

/**
 * The pairing routes beside others: all of `/pairing` and `/ready`, and nothing else. Register it
 * after a plugin that answers for the other methods of the paths before it.
 */
export function pairingRoutes(app: FastifyInstance, service: PairingService): void {
  app.register(
    async (scope) => {
      answerInMessages(scope)
      addPairingRoutes(scope, service)
    },
    { prefix: '/pairing' },
  )
  app.register(
    async (scope) => {
      answerInMessages(scope)
      scope.get('/', { prefixTrailingSlash: 'no-slash' }, answerReadiness(service))
    },
    { prefix: '/ready' },
  )
}

function addPairingRoutes(scope: FastifyInstance, service: PairingService): void {
  for (const [path, ask] of Object.entries(DIRECT))
    scope.get(path, async (request) => service.answer(ask, parametersOf(request)))

  for (const [path, ask] of Object.entries(VERIFIED)) {
    scope.get(`/verified${path}`, async (request, reply) => {
      const result = await service.verified(ask, parametersOf(request))
      return result.agreed ? result.answer : reply.code(503).send(VERIFICATION_UNAVAILABLE)
    })
  }
  scope.get('/agreement/:height', async (request) => service.agreementAt(parametersOf(request)))
  scope.get('/readiness', answerReadiness(service))
}

/** The snapshot is the body of the 200 and of the 503. */
const answerReadiness =
  (service: PairingService) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const snapshot = await service.readiness()
    return reply.code(snapshot.ready ? 200 : 503).send(snapshot)
  }

/** A parameter of the path is never one of the query. */
const parametersOf = ({ query, params }: FastifyRequest): Record<string, unknown> => ({
  ...(query as object),
  ...(params as object),
})
