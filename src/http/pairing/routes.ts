import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import type { PairingService } from '../../pairing/pairing-service.ts'
import { INVALID, MAX_QUERY_LENGTH, MAX_VOUT, SEARCHABLE } from '../../pairing/parameters.ts'
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
  DEFAULT_LIMIT,
  DEFAULT_SEARCH_LIMIT,
} from '../../pairing/questions.ts'
import { VerificationUnavailable } from '../../schemas/api/message-errors.ts'
import {
  AddressCarriers,
  AgreementEnvelope,
  PairingCarrier,
  PairingCarriers,
  PairingCheckpoints,
  PairingEvents,
  PairingObject,
  PairingObjects,
  PairingTransaction,
  ReadinessSnapshot,
  SearchResults,
  verified,
} from '../../schemas/api/pairing.ts'
import { answerInMessages } from '../message-errors.ts'
import { hashParameter, limitParameter, type Parameter } from '../openapi/message-parameters.ts'
import { messageSchema } from '../openapi/message-schema.ts'

const objectKey = hashParameter('object key')
const txid = hashParameter('txid')
const limit = limitParameter(DEFAULT_LIMIT)

const vout: Parameter = {
  schema: z.int().min(0).max(MAX_VOUT),
  refusals: [INVALID.integer, INVALID.vout],
}
const height: Parameter = {
  schema: z.int().describe('Any integer; negative heights have no checkpoint.'),
  refusals: [INVALID.integer],
}
const q: Parameter = {
  schema: z
    .string()
    .min(1)
    .max(MAX_QUERY_LENGTH)
    .regex(SEARCHABLE)
    .describe('A prefix of an object key, txid or outpoint, an address, or part of a label.'),
  refusals: [INVALID.queryLength, INVALID.queryCharacters],
}
const address: Parameter = {
  schema: z.string().describe('A bech32 P2WSH address on the network of the deployment.'),
  refusals: [INVALID.address],
}

/** Both readiness routes answer the same. */
const READINESS = {
  200: ReadinessSnapshot,
  503: ReadinessSnapshot.describe('Not ready: the same body, with the reasons.'),
}
const BOTH_SIGNED = 'Answered only while both pipelines have signed the same nine fields.'

/** Below `/pairing`: the query behind each path, and its description. */
const DIRECT: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects': [
    askObjects,
    messageSchema({
      operationId: 'listObjects',
      summary: 'Objects, newest first',
      description: 'The view of this pipeline alone, not verified with the other.',
      tags: ['pairing'],
      querystring: { limit },
      response: { 200: PairingObjects },
    }),
  ],
  '/objects/:objectKey': [
    askObject,
    messageSchema({
      operationId: 'readObject',
      summary: 'One object',
      description: 'The view of this pipeline alone, not verified with the other.',
      tags: ['pairing'],
      absent: 'object',
      params: { objectKey },
      response: { 200: PairingObject },
    }),
  ],
  '/carriers': [
    askCarriers,
    messageSchema({
      operationId: 'listCarriers',
      summary: 'Carriers, newest first',
      description: 'Outputs that are or were carriers of objects, including spent ones.',
      tags: ['pairing'],
      querystring: { limit },
      response: { 200: PairingCarriers },
    }),
  ],
  '/carriers/:txid/:vout': [
    askCarrier,
    messageSchema({
      operationId: 'readCarrier',
      summary: 'One carrier, spent or not',
      description: 'By the outpoint of the output.',
      tags: ['pairing'],
      absent: 'carrier',
      params: { txid, vout },
      response: { 200: PairingCarrier },
    }),
  ],
  '/checkpoints': [
    askCheckpoints,
    messageSchema({
      operationId: 'listCheckpoints',
      summary: 'Checkpoints, newest first',
      description: 'The nine fields of each block that this pipeline has indexed, unsigned.',
      tags: ['pairing'],
      querystring: { limit },
      response: { 200: PairingCheckpoints },
    }),
  ],
  '/events/:txid': [
    askEvents,
    messageSchema({
      operationId: 'readEvents',
      summary: 'What a transaction did to objects',
      description: 'Events in their order. A recorded transaction without effect has none.',
      tags: ['pairing'],
      absent: 'transaction',
      params: { txid },
      response: { 200: PairingEvents },
    }),
  ],
  '/transactions/:txid': [
    askTransaction,
    messageSchema({
      operationId: 'readTransaction',
      summary: 'One transaction with a marker',
      description: 'What its marker requested, and, where it had no effect, why.',
      tags: ['pairing'],
      absent: 'transaction',
      params: { txid },
      response: { 200: PairingTransaction },
    }),
  ],
}

/** Below `/pairing/verified`: answered only if the other pipeline agrees. */
const VERIFIED: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects/:objectKey': [
    askObject,
    messageSchema({
      operationId: 'readVerifiedObject',
      summary: 'One object, verified',
      description: BOTH_SIGNED,
      tags: ['pairing'],
      absent: 'object',
      params: { objectKey },
      response: { 200: verified(PairingObject), 503: VerificationUnavailable },
    }),
  ],
  '/search': [
    askSearch,
    messageSchema({
      operationId: 'searchVerified',
      summary: 'Search, verified',
      description: `${BOTH_SIGNED} Objects first, then the rest, each sorted by key.`,
      tags: ['pairing'],
      querystring: { q, limit: limitParameter(DEFAULT_SEARCH_LIMIT) },
      response: { 200: verified(SearchResults), 503: VerificationUnavailable },
    }),
  ],
  '/addresses/:address': [
    askAddress,
    messageSchema({
      operationId: 'listVerifiedCarriers',
      summary: 'Carriers of an address, verified',
      description: `${BOTH_SIGNED} Newest first, including spent ones.`,
      tags: ['pairing'],
      params: { address },
      querystring: { limit },
      response: { 200: verified(AddressCarriers), 503: VerificationUnavailable },
    }),
  ],
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
          schema: messageSchema({
            operationId: 'probePairing',
            summary: 'Should this pipeline get traffic?',
            description: 'The same as `/pairing/readiness`.',
            tags: ['pairing'],
            response: READINESS,
          }),
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
    {
      schema: messageSchema({
        operationId: 'readAgreement',
        summary: 'The signed checkpoint of a height',
        description:
          'What this pipeline has signed. A 500 means that no signing boundary is configured: alert, do not retry.',
        tags: ['pairing'],
        absent: 'checkpoint',
        params: { height },
        response: { 200: AgreementEnvelope },
      }),
      // The other pipeline requests it from one address, on behalf of all its readers.
      config: { uncounted: true },
    },
    async (request) => service.agreementAt(parametersOf(request)),
  )
  scope.get(
    '/readiness',
    {
      schema: messageSchema({
        operationId: 'readPairingReadiness',
        summary: 'Can verified reads be answered?',
        description: 'Ten gates; the reasons name every failing gate, in the order of evaluation.',
        tags: ['pairing'],
        response: READINESS,
      }),
      config: { probe: true },
    },
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
