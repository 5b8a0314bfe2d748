import { ActivityPage } from '../../src/schemas/order.ts'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { textOf } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'

/** The log of an order, newest first: it must have exactly these states, given oldest first. */
export async function tellHistory(
  stage: Stage,
  orderId: string,
  passed: readonly OrderState[],
): Promise<void> {
  stage.step('The log tells every change of the order, newest first, and who caused it.')
  const states = passed.map((state, at) => [`entries.${passed.length - 1 - at}.toState`, state])
  await stage.becomes(`activity?orderId=${orderId}`, {
    status: 200,
    shape: ActivityPage,
    is: { ...Object.fromEntries(states), 'entries.length': passed.length },
    shows: ({ entries }) =>
      entries.map(({ toState, actor, reason }) => [toState, textOf(`${reason}, by ${actor}`)]),
  })
}
