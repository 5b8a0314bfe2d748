import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { buildSelfSpend } from '../../gateway/exposure/build-self-spend.ts'
import { checkOutputs } from '../../gateway/exposure/check-outputs.ts'
import { readExposure } from '../../gateway/exposure/read-exposure.ts'
import {
  type FindOpenOrders,
  openOrdersOf,
  type ViewsInTurn,
} from '../../gateway/order/orders-of-output.ts'
import { LANES } from '../../runtime/lanes.ts'
import { CheckOutputsRequest, OutputsChecked } from '../../schemas/api/outputs/check.ts'
import { Exposure, ExposureQuery, OutpointPath } from '../../schemas/api/outputs/exposure.ts'
import { SelfSpend, SelfSpendRequest } from '../../schemas/api/outputs/self-spend.ts'
import { linkNext } from '../answers/link-next.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, laneOfPage, type RouteContext } from './context.ts'

/** Outputs: what they are exposed to, what ends that, and which are safe to pay with. */
export function outpointRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, stores }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const views: ViewsInTurn = {
    page: (query) => stores.views.run(laneOfPage(query), () => gateway.views.page(query)),
  }

  routes.get(
    `${BASE}/outpoints/:outpoint`,
    {
      onRequest: limiters.outpoint,
      schema: {
        operationId: 'readExposure',
        summary: 'Read what an output is exposed to',
        description:
          'Every ask of the output that was ever seen, newest first: open, closed to make room, withdrawn ' +
          'and hidden ones too, each with its signed price and whether anyone with the PSBT can take the ' +
          'output for it. `lowest` is the lowest such price over all pages. `bids` are those that the output ' +
          'pays for, the newest 50. Only a block that spends the output ends them. Nothing that a sender ' +
          'wrote is shown.',
        tags: ['outpoints'],
        refusals: [
          'OFFSET_NOT_SUPPORTED',
          'INVALID_CURSOR',
          'NODE_UNAVAILABLE',
          'STILL_BEING_VERIFIED',
        ],
        params: OutpointPath,
        querystring: ExposureQuery,
        response: { 200: Exposure },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      const over = requestSignal(reply, signal)
      const exposure = await readExposure(gateway, views, params.outpoint, query, over)
      linkNext(request, reply, exposure.nextCursor)
      return exposure
    },
  )
  routes.post(
    `${BASE}/outpoints/:outpoint/self-spend`,
    {
      onRequest: limiters.outpoint,
      config: { keepsNothing: true },
      schema: {
        operationId: 'buildSelfSpend',
        summary: 'Compose the spend that ends all authorisations of an output',
        description:
          'An unsigned, replaceable PSBT that moves the output to an address of its owner. Every asset goes ' +
          'with it: if one would be lost to the fee, it is refused. The fee is taken from the end of ' +
          'the output, half of it at most, or paid by `fundingUtxos`, which must be known to be empty. ' +
          'Nothing is stored or broadcast; an Idempotency-Key is ignored.',
        tags: ['outpoints'],
        refusals: ['SELF_SPEND_REFUSED', 'NODE_UNAVAILABLE', 'ASSET_INDEX_UNAVAILABLE'],
        params: OutpointPath,
        body: SelfSpendRequest,
        response: { 201: SelfSpend },
      },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      return buildSelfSpend(gateway, views, params.outpoint, body, requestSignal(reply, signal))
    },
  )
  routes.post(
    `${BASE}/outpoints/check`,
    {
      onRequest: limiters.outpointCheck,
      config: { keepsNothing: true },
      schema: {
        operationId: 'checkOutputs',
        summary: 'Check which outputs are safe to pay with',
        description:
          'Takes up to 100 outputs, each once. The answer says for each whether a purchase may name it as ' +
          'padding or payment, and everything against it. While the index is unavailable or behind, an ' +
          'output that it has not examined is not safe. Nothing is stored; an Idempotency-Key is ' +
          'ignored.',
        tags: ['outpoints'],
        refusals: ['NODE_UNAVAILABLE'],
        body: CheckOutputsRequest,
        response: { 201: OutputsChecked },
      },
    },
    async ({ body }, reply) => {
      reply.code(201)
      // A hundred look-ups take one turn: the reads of others come first.
      const openOrders: FindOpenOrders = (outpoints) =>
        stores.views.run(LANES.later, () => openOrdersOf(gateway.views, outpoints))
      return checkOutputs(gateway, openOrders, body, requestSignal(reply, signal))
    },
  )
}
