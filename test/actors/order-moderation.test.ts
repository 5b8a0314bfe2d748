import { describe, expect, test } from 'vitest'
import type { OrderEvent } from '../../src/actors/events/order-events.ts'
import { commandEvent } from '../../src/actors/order/record-events.ts'
import { notedReason } from '../../src/actors/order/step-order.ts'
import { ModerationCommand } from '../../src/schemas/log.ts'
import { OrderRecord } from '../../src/schemas/order-record.ts'
import { OrderState } from '../../src/schemas/scalars.ts'
import { commandOf } from '../support/log/worker-host.ts'
import { Life, moment } from '../support/orders/life.ts'
import { buyer, spend, withdrawn } from '../support/orders/order-events.ts'
import { liveOrder } from '../support/orders/orders.ts'

const hide: OrderEvent = {
  type: 'HIDE',
  operator: 'mia',
  reason: 'reported',
  requestId: 'hide',
  ...moment(),
}
const unhide: OrderEvent = { type: 'UNHIDE', operator: 'bob', requestId: 'unhide', ...moment() }

describe.each(OrderState.options)('an order that is %s', (state) => {
  test('is hidden and shown again in its state; the log says by whom', () => {
    const life = new Life(liveOrder({ state, closedAt: '2026-01-01T00:00:00.000Z' }))
    const { reason } = life.order
    const hidden = life.tell(hide)
    expect(hidden.change).toMatchObject({
      kind: 'noted',
      fromState: state,
      toState: state,
      reason: 'hidden_by_operator',
      actor: 'operator',
      operator: 'mia',
      set: { hidden: { hiddenAt: hide.at, reason: 'reported' } },
    })
    expect([hidden.asks, life.outcomeOf('hide')]).toMatchObject([false, { status: 'done' }])
    const shown = life.tell(unhide)
    expect(shown.change).toMatchObject({
      kind: 'noted',
      reason: 'shown_by_operator',
      actor: 'operator',
      operator: 'bob',
      unset: ['hidden'],
    })
    expect(life.outcomeOf('unhide')).toMatchObject({ status: 'done' })
    expect(life.order).toMatchObject({ state, reason })
    expect(life.order).not.toHaveProperty('hidden')
  })

  test('hidden or shown again and again is answered, and logged once', () => {
    const life = new Life(liveOrder({ state }))
    expect(life.tell(unhide).change).toBeNull()
    life.tell(hide)
    expect(life.tell({ ...hide, at: '2031-01-01T00:00:00.000Z' }).change).toBeNull()
    expect(life.steps.map(({ outcomes }) => outcomes.length)).toEqual([1, 1, 1])
  })
})

test('a hidden order follows the chain, and its owner withdraws it all the same', () => {
  const life = new Life(liveOrder())
  life.tell(hide)
  life.tell(spend('SEEN', buyer))
  expect(life.order).toMatchObject({ state: 'MEMPOOL_CONFLICTED', hidden: { hiddenAt: hide.at } })
  life.tell(withdrawn)
  expect(life.order).toMatchObject({ state: 'WITHDRAWN', hidden: { hiddenAt: hide.at } })
})

test('an operator who withdraws is named in the log, a seller is not', () => {
  const life = new Life(liveOrder())
  life.tell({ type: 'WITHDRAW', by: 'operator', operator: 'mia', requestId: 'w', ...moment() })
  expect(life.steps[0]?.change).toMatchObject({ actor: 'operator', operator: 'mia' })
  const sold = new Life(liveOrder())
  sold.tell(withdrawn)
  expect(sold.steps[0]?.change).not.toHaveProperty('operator')
})

test('a record from before hiding existed is shown', () => {
  const { success, data } = OrderRecord.safeParse(liveOrder())
  expect([success, data?.hidden]).toEqual([true, undefined])
  expect(notedReason(hide)).toBe('hidden_by_operator')
})

test.each(['hide', 'unhide'] as const)('the command %s is that event', (command) => {
  const said = { ...commandOf('revalidate', 'm'), command, operator: 'mia', reason: 'reported' }
  const read = ModerationCommand.parse(said)
  expect(commandEvent(read, moment())).toEqual({
    type: command.toUpperCase(),
    operator: 'mia',
    reason: 'reported',
    requestId: 'm',
    ...moment(),
  })
})
