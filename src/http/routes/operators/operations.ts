import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type OperationsSources, readOperations } from '../../../gateway/reading/read-operations.ts'
import { LANES } from '../../../runtime/lanes.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { OperationsReport } from '../../../schemas/operations.ts'
import { BASE, type RouteContext } from '../context.ts'
import { FOR_OPERATORS, forOperators, OPERATOR_REFUSALS } from './admin.ts'

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
      schema: {
        ...FOR_OPERATORS,
        operationId: 'readOperations',
        summary: 'Read how far the service is',
        description:
          'Of each partition of the log what its readers have left to read, and its watermark; the ' +
          'state of each feed; the dead letters of the inbox; and the build of the process that answers. `market lag` and `market dlq` ' +
          'print the same, and the latter retries letters.',
        refusals: [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE'],
        response: { 200: OperationsReport },
      },
    },
    () => context.stores.views.run(LANES.later, () => readOperations(operations)),
  )
}
