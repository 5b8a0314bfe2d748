import { expect, test } from 'vitest'
import { foldChanges, foldOrder, placeOf } from '../../../src/domain/order/fold-order.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { bookOf, dice, orderKinds } from '../../support/orders/order-book.ts'
import { changeBetween, lifeOf, mutated } from '../../support/orders/order-changes.ts'

const [first] = bookOf(1, 31)
const { token: _, ...bare } = { ...first!, token: 'ORDI' }
const life = lifeOf([
  { ...bare, token: 'ORDI' },
  { ...bare, state: 'WITHDRAWN' },
])

test('what a change sets is replaced, what it unsets is gone, the rest stays', () => {
  const [created, withdrawn] = life.changes
  const order = foldOrder(null, created!)
  expect(order.token).toBe('ORDI')
  const after = foldOrder(order, withdrawn!)
  expect(after).toEqual(life.order)
  expect('token' in after).toBe(false)
  expect([after.seq, after.hash]).toEqual([2, withdrawn!.hash])
})

test('a known change, or one beyond a gap, is not folded', () => {
  const [created, withdrawn] = life.changes
  const order = foldOrder(null, created!)
  expect(placeOf(order, created!)).toBe('known')
  expect(placeOf(null, withdrawn!)).toBe('gap')
  expect(placeOf(order, withdrawn!)).toBe('next')
  expect(() => foldOrder(order, created!)).toThrow('change 1 is known at seq 1')
  expect(() => foldOrder(null, withdrawn!)).toThrow('change 2 is gap at seq 0')
})

test('changes folded together give what they give one by one, and none may be missing', () => {
  const [created, withdrawn] = life.changes
  expect(foldChanges(null, [created!, withdrawn!])).toEqual(life.order)
  expect(() => foldChanges(null, [withdrawn!, created!])).toThrow('change 2 is gap at seq 0')
  expect(() => foldChanges(null, [created!, created!])).toThrow('change 1 is known at seq 1')
})

test('a first change that does not make a whole order is refused', () => {
  const { set, ...change } = changeBetween(null, first!)
  const { kept: _kept, ...partial } = set
  expect(() => foldOrder(null, { ...change, set: partial })).toThrow()
  expect(() => foldChanges(null, [{ ...change, set: partial }])).toThrow(/kept/)
})

test('a change that removes what every order has is refused', () => {
  const [created, withdrawn] = life.changes
  const without = { ...withdrawn!, unset: ['outpoint'] }
  expect(() => foldChanges(null, [created!, without])).toThrow(/outpoint/)
})

test('an order has the same text, in whatever steps its changes are folded', () => {
  const roll = dice(17)
  for (const order of orderKinds()) {
    const versions = [order, mutated(roll, order), order]
    const changes = lifeOf(versions).changes as [ChangeRecord, ...ChangeRecord[]]
    const checked = changes.reduce<OrderRecord | null>(foldOrder, null)
    const single = changes.reduce<OrderRecord | null>((one, next) => foldChanges(one, [next]), null)
    const text = JSON.stringify(checked)
    expect(JSON.stringify(foldChanges(null, changes))).toBe(text)
    expect(JSON.stringify(single)).toBe(text)
  }
})
