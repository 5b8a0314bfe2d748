import { expect, test } from 'vitest'
import {
  documentOf,
  readAnswer,
  readDocument,
} from '../../../../src/adapters/redis/views/document.ts'
import { orderKinds } from '../../../support/orders/order-book.ts'

// As the script stores it.
const stored = (bytes: Buffer) => Buffer.concat([Buffer.from('7 3 '), bytes])

test('an order is read as it was written, and so is its answer', () => {
  for (const order of orderKinds()) {
    const bytes = documentOf(order)
    expect(readDocument(stored(bytes))).toEqual({ partition: 3, order })
    const answer = readAnswer(stored(bytes))
    expect(answer?.partition).toBe(3)
    expect(answer?.answer.judged).toMatchObject({ id: order.id, state: order.state })
  }
})

test('an order that was read is written as it was', () => {
  for (const order of orderKinds()) {
    const bytes = documentOf(order)
    const read = readDocument(stored(bytes))?.order
    // As text: a matcher compares buffers byte by byte.
    expect(read && documentOf(read).toString('base64')).toBe(bytes.toString('base64'))
  }
})

test('a missing order is read as null', () => {
  expect([readDocument(null), readAnswer(null)]).toEqual([null, null])
})
