import { createActor, type ExecutableActionsFrom } from 'xstate'
import type { OrderRecord } from '../schemas/order-record.ts'
import { OrderState } from '../schemas/scalars.ts'
import type { OrderEvent } from './order-events.ts'
import { orderMachine } from './order-machine.ts'

/** What the machine wants done: the host does it, or an outcome tells it. */
export type Effect = ExecutableActionsFrom<typeof orderMachine>['type']

type Scope = Parameters<typeof orderMachine.transition>[2]
type Resolved = ReturnType<typeof orderMachine.resolveState>

// XState's own `transition` makes an actor for every event: half the time of a step. What a step
// reads of it is always the same, so one that is never started stands for all of them.
const self = createActor(orderMachine)
const nothing = () => undefined
const IDLE = {
  self,
  id: '',
  sessionId: '',
  system: self.system,
  defer: nothing,
  logger: nothing,
  stopChild: nothing,
  emit: nothing,
} satisfies Omit<Scope, 'actionExecutor'>

/** Each state resolved once; a step gives it its own order. */
const RESOLVED = new Map<OrderState, Resolved>()

function resolved(order: OrderRecord): Resolved {
  const known = RESOLVED.get(order.state)
  if (known) return { ...known, context: { order } }
  const state = orderMachine.resolveState({ value: order.state, context: { order } })
  RESOLVED.set(order.state, state)
  return state
}

/** The order in the state that the machine gives it by this event, and what is to be done. Pure. */
export function stepMachine(
  order: OrderRecord,
  event: OrderEvent,
): { order: OrderRecord; effects: Effect[] } {
  const effects: Effect[] = []
  const { value, context } = orderMachine.transition(resolved(order), event, {
    ...IDLE,
    actionExecutor: ({ type }) => effects.push(type as Effect),
  })
  return { order: { ...context.order, state: OrderState.parse(value) }, effects }
}
