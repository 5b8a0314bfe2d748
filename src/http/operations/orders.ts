import type { FastifySchema } from 'fastify'
import {
  AddressOrdersQuery,
  AddressPath,
  CountFacetsQuery,
  ListOrdersQuery,
  NoBody,
  OrderPath,
} from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { OrderArtifact, OrderFacets, OrderPage, OrderSummary } from '../../schemas/order.ts'
import { NostrEnvelope } from '../../schemas/wire/nostr.ts'
import { VERDICT_REFUSALS } from '../openapi/refusals.ts'

/** Refusals for an order that releases no artifact. */
const RELEASE_REFUSALS: readonly ErrorCode[] = [
  ...VERDICT_REFUSALS,
  'MARKET_RATE_LIMITED',
  'ORDER_NOT_FOUND',
  'ORDER_HIDDEN',
  'ORDER_NOT_LIVE',
]

/** Known orders: browse, read, recheck, release. */
export const ORDER_OPERATIONS = {
  listOrders: {
    operationId: 'listOrders',
    summary: 'Browse orders',
    description:
      'Filters are exact and combined with AND; every sort has the order id as its last key, so a cursor ' +
      'resumes exactly. `total` counts all matches of the filters. Artifacts are not included. An unknown ' +
      'parameter is ignored, unless it is one edit away from a known one: that is refused with its name.',
    tags: ['orders'],
    refusals: ['OFFSET_NOT_SUPPORTED', 'INVALID_CURSOR'],
    querystring: ListOrdersQuery,
    response: { 200: OrderPage },
  },
  countFacets: {
    operationId: 'countFacets',
    summary: 'Count orders by facet',
    description:
      'The filters of `listOrders`. Each value’s count is of the orders of the list that have it, ' +
      'without the facet’s own filter and with the other filters as they are. Withdrawn and rejected ' +
      'orders are counted where the list shows them. An answer may be 5 s old.',
    tags: ['orders'],
    refusals: [],
    querystring: CountFacetsQuery,
    response: { 200: OrderFacets },
  },
  listOrdersOfAddress: {
    operationId: 'listOrdersOfAddress',
    summary: 'Browse the orders of a seller',
    description:
      'Orders whose offered output is at the address: `listOrders` with the address as `seller`. ' +
      'Withdrawn and rejected ones are listed as there. An address of another network is refused.',
    tags: ['orders'],
    refusals: ['OFFSET_NOT_SUPPORTED', 'INVALID_CURSOR', 'WRONG_NETWORK'],
    params: AddressPath,
    querystring: AddressOrdersQuery,
    response: { 200: OrderPage },
  },
  readOrder: {
    operationId: 'readOrder',
    summary: 'Read an order',
    description:
      'The current order, without the signed artifact. Text from third parties is omitted if an ' +
      'operator has hidden the order, as shown by `validation.reasons`.',
    tags: ['orders'],
    refusals: ['ORDER_NOT_FOUND'],
    params: OrderPath,
    response: { 200: OrderSummary },
  },
  readArtifact: {
    operationId: 'readArtifact',
    summary: 'Get the signed artifact of a LIVE order',
    description:
      'The PSBT signed by the seller, with its current verification. An order that was verified ' +
      'too long ago is verified again first.',
    tags: ['orders'],
    refusals: RELEASE_REFUSALS,
    params: OrderPath,
    response: { 200: OrderArtifact },
  },
  readNostrEnvelope: {
    operationId: 'readNostrEnvelope',
    summary: 'Get an unsigned Nostr event that announces a LIVE order',
    description:
      'Kind 802, for the customer’s own signer: the service holds no Nostr keys and publishes ' +
      'nothing. Submit the signed event with `importPortableEvent`.',
    tags: ['orders'],
    refusals: RELEASE_REFUSALS,
    params: OrderPath,
    response: { 200: NostrEnvelope },
  },
  revalidateOrder: {
    operationId: 'revalidateOrder',
    summary: 'Verify an order again',
    description:
      'The order after a fresh verification with both authorities. While one is unavailable, the answer is ' +
      '503 and nothing changes.',
    tags: ['orders'],
    refusals: [...VERDICT_REFUSALS, 'ORDER_NOT_FOUND'],
    params: OrderPath,
    body: NoBody,
    response: { 201: OrderSummary },
  },
} satisfies Record<string, FastifySchema>
