import { expect, test } from 'vitest'
import { compareRows } from '../../../src/operator/log/replay-history.ts'
import { toOrderId } from '../../support/ids.ts'

type Count = [order: string, rows: number, maxSeq: number]

const idOf = (order: string) => toOrderId(order.repeat(64))
const rowsOf = (counts: readonly Count[]) =>
  new Map(counts.map(([order, rows, maxSeq]) => [idOf(order), { rows, maxSeq }]))

async function compared(logged: readonly Count[], has: readonly Count[], later: readonly Count[]) {
  let reads = 0
  const history = {
    async *summary() {
      for (const [order, rows, maxSeq] of has) yield { orderId: idOf(order), rows, maxSeq }
    },
  }
  const result = await compareRows(rowsOf(logged), history as never, async () => {
    reads += 1
    return rowsOf(later)
  })
  return { ...result, reads }
}

const NOTHING = { lacking: 0, lackingOrders: 0, foreign: [] }

test('a history that is as the log was read needs no more of it', async () => {
  expect(await compared([['a', 2, 2]], [['a', 2, 2]], [])).toEqual({ ...NOTHING, reads: 0 })
})

test('what a projector wrote after the log was read is not foreign', async () => {
  const has: Count[] = [
    ['a', 4, 4],
    ['b', 1, 1],
  ]
  const later: Count[] = [
    ['a', 2, 4],
    ['b', 3, 3],
  ]
  expect(await compared([['a', 2, 2]], has, later)).toEqual({ ...NOTHING, reads: 1 })
})

test('rows that the log has neither then nor later are foreign', async () => {
  const has: Count[] = [
    ['a', 3, 3],
    ['b', 1, 1],
    ['c', 2, 7],
  ]
  const logged: Count[] = [
    ['a', 2, 2],
    ['c', 2, 2],
    ['d', 3, 3],
  ]
  const foreign = ['a', 'b', 'c'].map(idOf)
  expect(await compared(logged, has, [])).toMatchObject({ lacking: 3, lackingOrders: 1, foreign })
})
