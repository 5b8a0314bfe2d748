import { expect, test } from 'vitest'
import {
  documentText,
  readAnswer,
  readDocument,
} from '../../../../src/adapters/redis/views/document.ts'
import { orderKinds } from '../../../support/orders/order-book.ts'

// As the script stores it.
const stored = (text: string) => `7 12 3 ${text}`

test('an order is read as it was written, and so is its answer', () => {
  for (const order of orderKinds()) {
    const text = documentText(order)
    expect(readDocument(stored(text))).toEqual({ partition: 3, order })
    const answer = readAnswer(stored(text))
    expect(answer?.partition).toBe(3)
    expect(answer?.answer.judged).toMatchObject({ id: order.id, state: order.state })
  }
})

test('an order that was read is written as it was', () => {
  for (const order of orderKinds()) {
    const text = documentText(order)
    const read = readDocument(stored(text))?.order
    expect(read && documentText(read)).toBe(text)
  }
})

test('a missing order is read as null', () => {
  expect([readDocument(null), readAnswer(null)]).toEqual([null, null])
})
