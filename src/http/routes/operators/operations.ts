import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type OperationsSources, readOperations } from '../../../gateway/reading/read-operations.ts'
import { LANES } from '../../../runtime/lanes.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { OPERATOR_OPERATIONS } from '../../operations/operator.ts'
import { BASE, type RouteContext } from '../context.ts'
import { forOperators } from './admin.ts'

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
    () => context.stores.views.run(LANES.later, () => readOperations(operations)),
  )
}
