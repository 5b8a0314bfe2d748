import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
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
import type { VerificationUnavailable } from '../../schemas/message-errors.ts'
import { answerInMessages } from '../message-errors.ts'
import { operations } from './operations.ts'

/** Below `/pairing`: what each path asks, and how it is described. */
const DIRECT: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects': [askObjects, operations.listObjects],
  '/objects/:objectKey': [askObject, operations.readObject],
  '/carriers': [askCarriers, operations.listCarriers],
  '/carriers/:txid/:vout': [askCarrier, operations.readCarrier],
  '/checkpoints': [askCheckpoints, operations.listCheckpoints],
  '/events/:txid': [askEvents, operations.readEvents],
  '/transactions/:txid': [askTransaction, operations.readTransaction],
}

/** Below `/pairing/verified`: answered only where the other pipeline agrees. */
const VERIFIED: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects/:objectKey': [askObject, operations.readVerifiedObject],
  '/search': [askSearch, operations.searchVerified],
  '/addresses/:address': [askAddress, operations.listVerifiedCarriers],
}

const WITHHELD: VerificationUnavailable = {
  status: 'verification_unavailable',
  error: 'verification_unavailable',
}

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
      scope.get(
        '/',
        {
          prefixTrailingSlash: 'no-slash',
          schema: operations.probePairing,
          config: { probe: true },
        },
        answerReadiness(service),
      )
    },
    { prefix: '/ready' },
  )
}

function addPairingRoutes(scope: FastifyInstance, service: PairingService): void {
  for (const [path, [ask, schema]] of Object.entries(DIRECT))
    scope.get(path, { schema }, async (request) => service.answer(ask, parametersOf(request)))

  for (const [path, [ask, schema]] of Object.entries(VERIFIED)) {
    scope.get(`/verified${path}`, { schema }, async (request, reply) => {
      const result = await service.verified(ask, parametersOf(request))
      return result.agreed ? result.answer : reply.code(503).send(WITHHELD)
    })
  }
  scope.get('/agreement/:height', { schema: operations.readAgreement }, async (request) =>
    service.agreementAt(parametersOf(request)),
  )
  scope.get(
    '/readiness',
    { schema: operations.readPairingReadiness, config: { probe: true } },
    answerReadiness(service),
  )
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
