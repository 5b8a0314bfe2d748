import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { inspectOrder } from '../../gateway/inspection/inspect-order.ts'
import { InspectRequest, InspectResult } from '../../schemas/api/inspection.ts'
import { requestSignal } from '../request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** What is wrong with an artifact, before or instead of an import. */
export function inspectionRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/inspect`,
    {
      // It costs what an import costs, and is counted with imports.
      onRequest: limiters.import,
      config: { keepsNothing: true },
      schema: {
        operationId: 'inspectOrder',
        summary: 'Find everything wrong with a PSBT, a transaction or an event',
        description:
          'Takes exactly one of `psbt`, `transaction` and `event`, beside the first two the claims of ' +
          'an import. Nothing is stored. Answers every problem at once, each with its place and what a ' +
          'seller can do; the verdict that it would get now; bytes that lack the problems that bytes can ' +
          'mend, to be imported as `psbt`; and who pays what when it is bought. What is wrong with the ' +
          'artifact is in the answer, also where an import would refuse it; so is an authority that is ' +
          'away. Counted with imports; an Idempotency-Key is ignored.',
        tags: ['listing'],
        refusals: ['STILL_BEING_VERIFIED'],
        body: InspectRequest,
        response: { 200: InspectResult },
      },
    },
    (request, reply) => inspectOrder(gateway, request.body, requestSignal(reply, signal)),
  )
}
