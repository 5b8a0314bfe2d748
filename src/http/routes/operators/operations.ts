import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { retryLetters, showLetter } from '../../../gateway/commands/retry-letters.ts'
import { type OperationsSources, readOperations } from '../../../gateway/reading/read-operations.ts'
import { readRecords } from '../../../gateway/records/read-records.ts'
import { readTopics } from '../../../gateway/records/read-topics.ts'
import { LANES } from '../../../runtime/lanes.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { OPERATOR_OPERATIONS } from '../../operations/operator.ts'
import { BASE, callerOf, type RouteContext } from '../context.ts'
import { forOperators } from './admin.ts'
import { audited } from './audited.ts'

const TOPICS = `${BASE}/admin/topics`
const LETTERS = `${BASE}/admin/dead-letters`

interface Watching {
  operations: OperationsSources
  operators: readonly Operator[]
}

/** Operators see how far each part of the service has come. */
export function operationRoutes(
  app: FastifyInstance,
  context: RouteContext,
  { operations, operators }: Watching,
): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    `${BASE}/admin/operations`,
    {
      onRequest: forOperators(context, operators),
      schema: OPERATOR_OPERATIONS.readOperations,
    },
    async (request) => {
      const read = () => readOperations(operations)
      const progress = await context.stores.views.run(LANES.later, read, callerOf(request))
      return { ...progress, acts: app.recentActs.list() }
    },
  )
  letterRoutes(app, context, forOperators(context, operators))
  recordRoutes(app, context, { operations, operators })
}

/** Any record of the log, a bounded page at a time. */
function recordRoutes(
  app: FastifyInstance,
  context: RouteContext,
  { operations: { browser }, operators }: Watching,
): void {
  const { gateway, signal } = context
  const { cursors, clock } = gateway
  const onRequest = forOperators(context, operators, 'records')
  const routes = app.withTypeProvider<ZodTypeProvider>()
  routes.get(TOPICS, { onRequest, schema: OPERATOR_OPERATIONS.listTopics }, () =>
    readTopics(browser),
  )
  routes.get(
    `${TOPICS}/:topic/records`,
    { onRequest, schema: OPERATOR_OPERATIONS.listRecords },
    ({ params, query }) => readRecords({ browser, cursors, clock }, params.topic, query, signal),
  )
}

/** What `market dlq` does on the service's machine. */
function letterRoutes(
  app: FastifyInstance,
  { gateway, signal }: RouteContext,
  onRequest: onRequestAsyncHookHandler[],
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  routes.get(
    `${LETTERS}/:partition/:offset`,
    { onRequest, schema: OPERATOR_OPERATIONS.readDeadLetter },
    ({ params }) => showLetter(gateway.log, params),
  )
  routes.post(
    `${LETTERS}/retry`,
    { onRequest, schema: OPERATOR_OPERATIONS.retryDeadLetters },
    async (request, reply) => {
      const { places } = request.body
      reply.code(201)
      const about = {
        letters:
          places === 'all'
            ? places
            : places.map(({ partition, offset }) => `${partition}/${offset}`),
      }
      const words = { act: 'retry dead letters', acted: 'retried dead letters' }
      return audited(request, about, words, () => retryLetters(gateway, request.body, signal))
    },
  )
}
