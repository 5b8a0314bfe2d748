import { createActor, type ExecutableActionsFrom } from 'xstate'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { OrderState } from '../../schemas/scalars.ts'
import type { OrderEvent } from '../events/order-events.ts'
import { orderMachine } from './order-machine.ts'

/** An effect of the machine: carried out by the host, or reported as an outcome. */
export type MachineEffect = ExecutableActionsFrom<typeof orderMachine>['type']

type Scope = Parameters<typeof orderMachine.transition>[2]
type Resolved = ReturnType<typeof orderMachine.resolveState>

// XState's own `transition` creates an actor for every event, which takes half the time of a step.
// What a step reads from it is always the same, so one actor, never started, serves all steps.
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

/** The order in the state this event leads to, and the effects to carry out. Pure. */
export function stepMachine(
  order: OrderRecord,
  event: OrderEvent,
): { order: OrderRecord; effects: MachineEffect[] } {
  const effects: MachineEffect[] = []
  const { value, context } = orderMachine.transition(resolved(order), event, {
    ...IDLE,
    actionExecutor: ({ type }) => effects.push(type as MachineEffect),
  })
  return { order: { ...context.order, state: OrderState.parse(value) }, effects }
}
