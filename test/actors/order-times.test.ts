import { describe, expect, test } from 'vitest'
import type { OrderEvent } from '../../src/actors/events/order-events.ts'
import { stepOrder } from '../../src/actors/order/step-order.ts'
import { AT, blockAt } from '../support/orders/evidence.ts'
import { evidenceEvent, Life } from '../support/orders/life.ts'
import { begun, buyer, live, output, spend, withdrawn } from '../support/orders/order-events.ts'
import { liveOrder } from '../support/orders/orders.ts'

// Events are stamped by the clocks of several processes.

const HOUR_BEFORE = new Date(Date.parse(AT) - 3_600_000).toISOString()
const HOUR_AFTER = new Date(Date.parse(AT) + 3_600_000).toISOString()
const stamped = (event: OrderEvent, at: string): OrderEvent => ({ ...event, at })
const timesOf = ({ steps }: Life) => steps.flatMap(({ change }) => change?.observedAt ?? [])

describe('the changes of an order', () => {
  test('never go back in time, whatever the clocks of their sources say', () => {
    const life = begun()
    life.tell(stamped(evidenceEvent(life.order, live), HOUR_BEFORE))
    expect(life.order).toMatchObject({ state: 'LIVE', createdAt: AT, updatedAt: AT })
    life.tell(stamped(spend('CONFIRMED', buyer), HOUR_BEFORE))
    expect(timesOf(life)).toEqual([AT, AT, AT])
    expect(life.order).toMatchObject({ state: 'SETTLED', settlement: { observedAt: AT } })
  })

  test('continue from one that is only recorded too', () => {
    const life = new Life(liveOrder())
    const step = life.tell(stamped(output('CONFIRMED', blockAt(905)), HOUR_AFTER))
    expect(step.change).toMatchObject({ kind: 'noted', set: { updatedAt: HOUR_AFTER } })
    life.tell(withdrawn)
    expect(timesOf(life)).toEqual([HOUR_AFTER, HOUR_AFTER])
    expect(life.order.withdrawal?.withdrawnAt).toBe(HOUR_AFTER)
  })

  test('are none where nothing changed: the time alone is no change', () => {
    const order = liveOrder()
    const event = stamped(output('CONFIRMED', order.outputBlock), HOUR_AFTER)
    const { change, order: after } = stepOrder(order, order, event, {
      partition: 0,
      offset: 0,
      kind: 'output',
    })
    expect(change).toBeNull()
    expect(after.updatedAt).toBe(order.updatedAt)
  })
})
