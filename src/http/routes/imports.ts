import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { importOrder } from '../../gateway/intake/import-order.ts'
import { importPortableEvent } from '../../gateway/intake/import-portable-event.ts'
import { ImportRequest } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { NostrEvent } from '../../schemas/wire/nostr.ts'
import { clientOf } from '../clients/client.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** Refusals possible for any PSBT from outside. */
const CLAIM_REFUSALS: readonly ErrorCode[] = [
  'INVALID_PSBT',
  'PSBT_TOO_LARGE',
  'TOO_MANY_CLAIMS',
  'STILL_BEING_VERIFIED',
]

/** Imports of signed orders from any source. */
export function importRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/import`,
    {
      onRequest: limiters.import,
      schema: {
        operationId: 'importOrder',
        summary: 'Import a signed order',
        description:
          'Takes a signed PSBT, base64 or hex, from any source and verifies it. Claims in the request ' +
          'are kept as evidence and override nothing. A PSBT that proves nothing is also an order, ' +
          'REJECTED; the same authorisation is always the same order. While an authority is unavailable, the ' +
          'order is pending.',
        tags: ['listing'],
        refusals: CLAIM_REFUSALS,
        body: ImportRequest,
        response: { 201: OrderSummary },
      },
    },
    async (request, reply) => {
      reply.code(201)
      return importOrder(gateway, request.body, clientOf(request), requestSignal(reply, signal))
    },
  )
  routes.post(
    `${BASE}/orders/portable-event`,
    {
      onRequest: limiters.portableEvent,
      schema: {
        operationId: 'importPortableEvent',
        summary: 'Import a signed Nostr event of kind 802',
        description:
          'Verifies id and signature of the event, then the order as in an import. Its tags are ' +
          'claims.',
        tags: ['listing'],
        refusals: [...CLAIM_REFUSALS, 'INVALID_EVENT', 'WRONG_NETWORK'],
        body: NostrEvent,
        response: { 201: OrderSummary },
      },
    },
    async (request, reply) => {
      reply.code(201)
      return importPortableEvent(
        gateway,
        request.body,
        clientOf(request),
        requestSignal(reply, signal),
      )
    },
  )
}
