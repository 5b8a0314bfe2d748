import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { operatorWithdraw } from '../../gateway/operator-withdraw.ts'
import { OrderPath } from '../../schemas/api.ts'
import type { Operator } from '../../schemas/config.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { OperatorWithdrawal } from '../../schemas/ownership.ts'
import { examples } from '../openapi/examples.ts'
import { requireOperator } from '../operators.ts'
import { BASE, type RouteContext } from './context.ts'

/** Moderation (spec 5.2). Who did it stands in this server's log, and nowhere else. */
export function adminRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
  operators: readonly Operator[],
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  app.decorateRequest('operator', null)

  routes.post(
    `${BASE}/admin/orders/:id/withdraw`,
    {
      onRequest: [limiters.operator, requireOperator(operators)],
      schema: {
        operationId: 'withdrawOrderAsOperator',
        summary: 'Withdraw an order as an operator',
        description:
          'Moderation: this service stops publishing the order. A reason is shown with the order to ' +
          'everybody; who withdrew it stands in the log of the server alone.',
        tags: ['operator'],
        security: [{ operator: [] }],
        refusals: [
          'UNAUTHORIZED',
          'ORDER_NOT_FOUND',
          'ORDER_NOT_WITHDRAWABLE',
          'STILL_BEING_VERIFIED',
        ],
        example: examples.withdrawOrderAsOperator,
        params: OrderPath,
        body: OperatorWithdrawal,
        response: { 201: OrderSummary },
      },
    },
    async ({ params, body, operator, log }, reply) => {
      reply.code(201)
      const audit = { operator, orderId: params.id, reason: body?.reason }
      // A warning, so that no usual LOG_LEVEL hides it; before the act, since its outcome may be late.
      log.warn({ audit }, 'an operator asks to withdraw an order')
      const order = await operatorWithdraw(gateway, params.id, body?.reason, signal)
      log.warn({ audit }, 'an operator withdrew an order')
      return order
    },
  )
}
