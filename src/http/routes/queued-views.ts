import type { FastifyRequest } from 'fastify'
import {
  type FindOpenOrders,
  openOrdersOf,
  type QueuedViews,
} from '../../gateway/order/orders-of-output.ts'
import type { Lane } from '../../runtime/lanes.ts'
import { callerOf, laneOfPage, type RouteContext } from './context.ts'

type Reads = Pick<RouteContext, 'gateway' | 'stores'>

/** Pages of the views, each in its turn. */
export const viewsFor = ({ gateway, stores }: Reads, request: FastifyRequest): QueuedViews => ({
  page: (query) =>
    stores.views.run(laneOfPage(query), () => gateway.views.page(query), callerOf(request)),
})

/** The open orders of outputs; however many outputs, they take one turn. */
export const openOrdersFor =
  ({ gateway, stores }: Reads, request: FastifyRequest, lane: Lane): FindOpenOrders =>
  (outpoints) =>
    stores.views.run(lane, () => openOrdersOf(gateway.views, outpoints), callerOf(request))
