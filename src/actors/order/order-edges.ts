import type { OrderState } from '../../schemas/scalars.ts'
import { orderMachine } from './order-machine.ts'

export interface OrderEdge {
  from: OrderState
  event: string
  to: OrderState
}

/** Every edge of the statechart that leads to another state, read from the machine itself. */
export const ORDER_EDGES: readonly OrderEdge[] = Object.values(orderMachine.states).flatMap(
  (state) =>
    orderMachine.events.flatMap((event) => {
      const own = state.transitions.get(event) ?? []
      // The chart's own transitions apply where none of the state's can be taken.
      const fallsThrough = own.every(({ guard }) => guard !== undefined)
      const inherited = fallsThrough ? (orderMachine.root.transitions.get(event) ?? []) : []
      return [...own, ...inherited].flatMap(({ target }) =>
        (target ?? [])
          .filter(({ key }) => key !== state.key)
          .map(({ key }) => ({ from: state.key, event, to: key }) as OrderEdge),
      )
    }),
)

const KNOWN = new Set(ORDER_EDGES.map(({ from, to }) => `${from} ${to}`))
const FIRST: ReadonlySet<OrderState> = new Set(['PENDING_NODE', 'REJECTED'])

/** Is this a move that the statechart can make? `from` is null for an order's first. */
export const isOrderEdge = (from: OrderState | null, to: OrderState): boolean =>
  from === null ? FIRST.has(to) : from === to || KNOWN.has(`${from} ${to}`)
