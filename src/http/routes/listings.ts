import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { buildAsk } from '../../gateway/selling/build-ask.ts'
import { publishAsk } from '../../gateway/selling/publish-ask.ts'
import { LANES } from '../../runtime/lanes.ts'
import { BuildAskRequest, BuildAskResult, PublishAskRequest } from '../../schemas/api/listing.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { clientOf } from '../clients/client.ts'
import { VERDICT_REFUSALS } from '../openapi/refusals.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** Listing by a seller: build a PSBT to sign, then publish the signed half. */
export function listingRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, builds }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/build`,
    {
      onRequest: limiters.build,
      schema: {
        operationId: 'buildAsk',
        summary: 'Build a listing to sign',
        description:
          'A PSBT of one input and one output, for the seller to sign with SINGLE|ANYONECANPAY. Output ' +
          'and asset are verified before anything is composed. `quotedPriceSats` is what the seller is ' +
          'paid; the output’s own value goes to the buyer with the asset. Below that value ' +
          '`inspection.reasons` holds `payout_below_input`.',
        tags: ['listing'],
        refusals: [...VERDICT_REFUSALS, 'BUILD_REFUSED'],
        body: BuildAskRequest,
        response: { 201: BuildAskResult },
      },
    },
    async ({ body }, reply) => {
      reply.code(201)
      const over = requestSignal(reply, signal)
      return builds.run(LANES.first, () => buildAsk(gateway, body, over))
    },
  )
  routes.post(
    `${BASE}/orders/publish`,
    {
      onRequest: limiters.publish,
      schema: {
        operationId: 'publishAsk',
        summary: 'Publish a signed listing',
        description:
          'Takes the PSBT signed by the seller, base64 or hex, built here or not. It is published if ' +
          'its signature is valid and its order is LIVE; otherwise nothing is stored.',
        tags: ['listing'],
        refusals: [
          ...VERDICT_REFUSALS,
          'INVALID_PSBT',
          'PSBT_TOO_LARGE',
          'PUBLISH_REFUSED',
          'ORDER_WITHDRAWN',
          'TOO_MANY_CLAIMS',
        ],
        body: PublishAskRequest,
        response: { 201: OrderSummary },
      },
    },
    async (request, reply) => {
      reply.code(201)
      return publishAsk(gateway, request.body, clientOf(request), requestSignal(reply, signal))
    },
  )
}
