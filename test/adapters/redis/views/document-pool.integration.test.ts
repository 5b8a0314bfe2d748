import { afterAll, expect, test } from 'vitest'
import { readDocument, type StoredBytes } from '../../../../src/adapters/redis/views/document.ts'
import {
  makeDocuments,
  openDocumentPool,
} from '../../../../src/adapters/redis/views/document-pool.ts'
import { orderKinds } from '../../../support/orders/order-book.ts'
import { systemClock as clock } from '../../../support/system-clock.ts'

const pool = openDocumentPool(clock)
afterAll(() => pool.close())

const ORDERS = [...orderKinds()]

/** As text: a matcher compares buffers byte by byte. */
const texts = (made: readonly StoredBytes[]) =>
  made.map(({ document, row }) => `${document.toString('base64')} ${row.toString('base64')}`)

test('what a thread makes of orders is what is made without one', async () => {
  const made = await pool.make(3, ORDERS)
  const expected = texts(await makeDocuments(3, ORDERS))
  expect(texts(made)).toEqual(expected)
  expect(texts(await pool.make(3, ORDERS.slice(0, 2)))).toEqual(expected.slice(0, 2))
  expect(await pool.make(3, [])).toEqual([])
  expect(made.map(({ document }) => readDocument(document)?.order)).toEqual(ORDERS)
})

test('more than the threads can take at once is made too, each for its caller', async () => {
  const parts = Array.from({ length: 12 }, (_, n) => ORDERS.slice(n * 20, n * 20 + 60))
  const made = await Promise.all(parts.map((orders, partition) => pool.make(partition, orders)))
  for (const [partition, orders] of parts.entries()) {
    const expected = await makeDocuments(partition, orders)
    expect(texts(made[partition] ?? [])).toEqual(texts(expected))
  }
})
