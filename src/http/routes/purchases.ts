import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type FindOpenOrders, openOrdersOf } from '../../gateway/order/orders-of-output.ts'
import { preflightOrder } from '../../gateway/purchase/preflight-order.ts'
import { quoteOrder } from '../../gateway/purchase/quote-order.ts'
import { LANES } from '../../runtime/lanes.ts'
import { OrderPath } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import {
  PreflightRequest,
  PreflightResult,
  Quote,
  QuoteRequest,
} from '../../schemas/api/purchase.ts'
import { VERDICT_REFUSALS } from '../openapi/refusals.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** Refusals for an order that cannot be bought now. */
const SALE_REFUSALS: readonly ErrorCode[] = [
  ...VERDICT_REFUSALS,
  'ORDER_NOT_FOUND',
  'ORDER_HIDDEN',
  'ORDER_NOT_LIVE',
  'ORDER_NOT_READY',
]

/** What a buyer needs to complete an order: a quote, and a preflight of the signed result. */
export function purchaseRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, purchases, stores }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const openOrders: FindOpenOrders = (outpoints) =>
    stores.views.run(LANES.first, () => openOrdersOf(gateway.views, outpoints))

  routes.post(
    `${BASE}/orders/:id/quote`,
    {
      onRequest: limiters.quote,
      schema: {
        operationId: 'quoteOrder',
        summary: 'Quote a purchase',
        description:
          'The buyer names only its own outputs: value and script come from the node, and ' +
          'the index confirms that each output holds no assets. One that an open order here offers is refused; ' +
          'the notice `PAYS_FOR_BID` names an open bid that one pays for. The PSBT in the answer contains the seller’s ' +
          'signature, so one signing round of the buyer completes it.',
        tags: ['purchase'],
        refusals: [...SALE_REFUSALS, 'QUOTE_REFUSED'],
        params: OrderPath,
        body: QuoteRequest,
        response: { 201: Quote },
      },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      const over = requestSignal(reply, signal)
      return purchases.run(LANES.first, () =>
        quoteOrder(gateway, openOrders, params.id, body, over),
      )
    },
  )
  routes.post(
    `${BASE}/orders/:id/preflight`,
    {
      onRequest: limiters.preflight,
      bodyLimit: BODY_BYTES.preflight,
      schema: {
        operationId: 'preflightOrder',
        summary: 'Check a signed purchase before it is broadcast',
        description:
          'Takes exactly one of `finalTxHex` and `signedPsbt`. Checks the order against the chain, the ' +
          'payout, the path of every asset’s sat, and asks the node whether it would accept the ' +
          'transaction. Nothing is broadcast. A transaction that fails a check gets `allowed: false` ' +
          'and one `rejectReason`. The notices `INPUT_OFFERED` and `PAYS_FOR_BID` name other open orders here ' +
          'that it would end.',
        tags: ['purchase'],
        refusals: [...SALE_REFUSALS, 'INVALID_PSBT', 'PSBT_TOO_LARGE', 'INVALID_TRANSACTION'],
        params: OrderPath,
        body: PreflightRequest,
        response: { 201: PreflightResult },
      },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      const over = requestSignal(reply, signal)
      return purchases.run(LANES.first, () =>
        preflightOrder(gateway, openOrders, params.id, body, over),
      )
    },
  )
}
