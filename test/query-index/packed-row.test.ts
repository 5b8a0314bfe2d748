import { expect, test } from 'vitest'
import { packRow, unpackRow } from '../../src/query-index/packed-row.ts'
import { NEVER, type OrderRow, rowOf, UNPRICED } from '../../src/query-index/row.ts'
import { dice, orderOf } from '../support/orders/order-book.ts'

const roll = dice(13)
const rows = Array.from({ length: 500 }, (_, index) => rowOf(orderOf(roll, index), index % 16))

test('a row is unpacked as it was packed', () => {
  for (const row of rows) expect(unpackRow(packRow(row))).toEqual(row)
})

test('so are the ends of every range', () => {
  const [sample] = rows as [OrderRow]
  const least = {
    price: 0n,
    createdAt: 0,
    verifiedAt: NEVER,
    vout: 0,
    heldEpoch: NEVER,
    heldN: NEVER,
  }
  const most = {
    price: UNPRICED,
    createdAt: 8.64e15,
    verifiedAt: 8.64e15,
    vout: 2 ** 32 - 1,
    partition: 2 ** 16 - 1,
    seq: 2 ** 32 - 1,
    heldEpoch: Number.MAX_SAFE_INTEGER,
    heldN: Number.MAX_SAFE_INTEGER,
    token: 'é😀',
  }
  for (const row of [
    { ...sample, ...least },
    { ...sample, ...most },
  ])
    expect(unpackRow(packRow(row))).toEqual(row)
})

test('a row of 0.9 is unpacked as one that does not know what spent its order', () => {
  for (const row of rows) {
    const { spender: _, ...rest } = row
    const ofEarlier = unpackRow(packRow({ ...row, spender: undefined }))
    expect(ofEarlier).toEqual({ ...rest, spender: undefined })
  }
})

test('what spent an order is kept', () => {
  const spent = rows.filter(({ spender }) => spender !== null)
  expect(spent.length).toBeGreaterThan(50)
  for (const row of spent) expect(unpackRow(packRow(row)).spender).toBe(row.spender)
})

test('a row of the test book takes some 250 bytes', () => {
  const bytes = rows.reduce((sum, row) => sum + packRow(row).length, 0) / rows.length
  expect(bytes).toBeLessThan(350)
})
