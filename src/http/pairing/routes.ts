import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CursorCodec } from '../../gateway/cursor.ts'
import { Listed } from '../../pairing/listed.ts'
import type { PairingService } from '../../pairing/pairing-service.ts'
import type { VerificationUnavailable } from '../../schemas/api/message-errors.ts'
import type { Operator } from '../../schemas/config/config.ts'
import { linkNext } from '../answers/link-next.ts'
import { answerInMessages } from '../answers/message-errors.ts'
import { recogniseOperator, requireOperatorInMessages } from '../clients/operators.ts'
import { limitLogins } from '../limits/message-limits.ts'
import type { Limiters } from '../limits/rate-limits.ts'
import { cursorAt, queryAtPlace } from '../query/list-cursors.ts'
import { DIRECT, OWN, PROOFS, VERIFIED } from './operations.ts'

const WITHHELD: VerificationUnavailable = {
  status: 'verification_unavailable',
  error: 'verification_unavailable',
}

export interface PairingRoutesDeps {
  /** Who may read the ledger of divergences; empty: no one. */
  operators: readonly Operator[]
  limiters: Pick<Limiters, 'operator'>
  cursors: CursorCodec
  /** Unix milliseconds. */
  now: () => number
}

/**
 * Only the pairing routes: all of `/pairing` and `/ready`. Register it after a plugin that answers
 * other methods for the paths registered before it.
 */
export function pairingRoutes(
  app: FastifyInstance,
  service: PairingService,
  deps: PairingRoutesDeps,
): void {
  app.register(
    async (scope) => {
      answerInMessages(scope)
      addPairingRoutes(scope, service, deps)
      addLedgerRoute(scope, service, deps)
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
          schema: OWN.probePairing,
          config: { probe: true },
        },
        answerReadiness(service),
      )
    },
    { prefix: '/ready' },
  )
}

function addPairingRoutes(
  scope: FastifyInstance,
  service: PairingService,
  { cursors }: Pick<PairingRoutesDeps, 'cursors'>,
): void {
  const parametersOf = parametersBy(cursors)
  const unwrap = unwrapBy(cursors)
  for (const [path, [ask, schema]] of Object.entries(DIRECT))
    scope.get(path, { schema }, async (request, reply) =>
      unwrap(service.answer(ask, parametersOf(request)), request, reply),
    )

  for (const [path, [ask, schema]] of Object.entries(PROOFS))
    scope.get(path, { schema }, async (request) => service.proof(ask, parametersOf(request)))

  for (const [path, [ask, schema]] of Object.entries(VERIFIED)) {
    const config = { unavailable: WITHHELD }
    scope.get(`/verified${path}`, { schema, config }, async (request, reply) => {
      const result = await service.verified(ask, parametersOf(request))
      if (!result.agreed) return reply.code(503).send(WITHHELD)
      const { data, agreement } = result.answer
      return { data: unwrap(data, request, reply), agreement }
    })
  }
  scope.get(
    '/agreement/:height',
    {
      schema: OWN.readAgreement,
      // The other pipeline requests it from one address, on behalf of all its readers.
      config: { uncounted: true },
    },
    async (request) => service.agreementAt(parametersOf(request)),
  )
  scope.get(
    '/readiness',
    {
      schema: OWN.readPairingReadiness,
      config: { probe: true },
    },
    answerReadiness(service),
  )
}

/** The two envelopes of each are evidence against one of the pipelines: not for everyone. */
function addLedgerRoute(
  scope: FastifyInstance,
  service: PairingService,
  { operators, limiters, now, cursors }: PairingRoutesDeps,
): void {
  scope.decorateRequest('operator', null)
  scope.get(
    '/divergences',
    {
      onRequest: [
        recogniseOperator(operators, now),
        limitLogins(limiters),
        requireOperatorInMessages,
      ],
      schema: OWN.listDivergences,
    },
    async (request, reply) =>
      unwrapBy(cursors)(await service.divergences(parametersBy(cursors)(request)), request, reply),
  )
}

/** The body of an answer; of a list, the next page is in a header. */
const unwrapBy =
  (cursors: CursorCodec) =>
  (answer: unknown, request: FastifyRequest, reply: FastifyReply): unknown => {
    if (!(answer instanceof Listed)) return answer
    linkNext(request, reply, cursorAt(cursors, request, answer.next))
    return answer.body
  }

/** The snapshot is the body of both the 200 and the 503. */
const answerReadiness =
  (service: PairingService) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const snapshot = await service.readiness()
    return reply.code(snapshot.ready ? 200 : 503).send(snapshot)
  }

/** A path parameter overrides a query parameter of the same name. */
const parametersBy =
  (cursors: CursorCodec) =>
  (request: FastifyRequest): Record<string, unknown> => ({
    ...queryAtPlace(cursors, request),
    ...(request.params as object),
  })
