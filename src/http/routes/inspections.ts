import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { inspectOrder } from '../../gateway/inspection/inspect-order.ts'
import { InspectRequest, InspectResult } from '../../schemas/api/inspection.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'
import { requestSignal } from '../requests/request-signal.ts'
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
      bodyLimit: BODY_BYTES.inspection,
      config: { keepsNothing: true },
      schema: {
        operationId: 'inspectOrder',
        summary: 'Find everything wrong with a PSBT, a transaction or an event',
        description:
          'Takes exactly one of `psbt`, `transaction` and `event`; with the first two also the claims of ' +
          'an import. Nothing is stored. The answer has every problem at once, each with its place and ' +
          'what a seller can do; the verdict that it would get now; repaired bytes, where changing bytes ' +
          'is enough, to be imported as `psbt`; and who pays what when it is bought. Problems are in the ' +
          'answer even if an import would refuse the artifact, and so is an unavailable authority. ' +
          'Counted with imports; an Idempotency-Key is ignored.',
        tags: ['listing'],
        refusals: ['STILL_BEING_VERIFIED'],
        body: InspectRequest,
        response: { 200: InspectResult },
      },
    },
    (request, reply) => inspectOrder(gateway, request.body, requestSignal(reply, signal)),
  )
}
