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
import type { VerificationUnavailable } from '../../schemas/api/message-errors.ts'
import { answerInMessages } from '../message-errors.ts'
import { pairingOperations } from './operations.ts'

/** Below `/pairing`: the query behind each path, and its description. */
const DIRECT: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects': [askObjects, pairingOperations.listObjects],
  '/objects/:objectKey': [askObject, pairingOperations.readObject],
  '/carriers': [askCarriers, pairingOperations.listCarriers],
  '/carriers/:txid/:vout': [askCarrier, pairingOperations.readCarrier],
  '/checkpoints': [askCheckpoints, pairingOperations.listCheckpoints],
  '/events/:txid': [askEvents, pairingOperations.readEvents],
  '/transactions/:txid': [askTransaction, pairingOperations.readTransaction],
}

/** Below `/pairing/verified`: answered only if the other pipeline agrees. */
const VERIFIED: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects/:objectKey': [askObject, pairingOperations.readVerifiedObject],
  '/search': [askSearch, pairingOperations.searchVerified],
  '/addresses/:address': [askAddress, pairingOperations.listVerifiedCarriers],
}

const WITHHELD: VerificationUnavailable = {
  status: 'verification_unavailable',
  error: 'verification_unavailable',
}

/**
 * Only the pairing routes: all of `/pairing` and `/ready`. Register it after a plugin that answers
 * other methods for the paths registered before it.
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
          schema: pairingOperations.probePairing,
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
    const config = { unavailable: WITHHELD }
    scope.get(`/verified${path}`, { schema, config }, async (request, reply) => {
      const result = await service.verified(ask, parametersOf(request))
      return result.agreed ? result.answer : reply.code(503).send(WITHHELD)
    })
  }
  scope.get(
    '/agreement/:height',
    // The other pipeline requests it from one address, on behalf of all its readers.
    { schema: pairingOperations.readAgreement, config: { uncounted: true } },
    async (request) => service.agreementAt(parametersOf(request)),
  )
  scope.get(
    '/readiness',
    { schema: pairingOperations.readPairingReadiness, config: { probe: true } },
    answerReadiness(service),
  )
}

/** The snapshot is the body of both the 200 and the 503. */
const answerReadiness =
  (service: PairingService) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const snapshot = await service.readiness()
    return reply.code(snapshot.ready ? 200 : 503).send(snapshot)
  }

/** A path parameter overrides a query parameter of the same name. */
const parametersOf = ({ query, params }: FastifyRequest): Record<string, unknown> => ({
  ...(query as object),
  ...(params as object),
})
