import type { OrderSummary } from 'psbt-market-client'
import { expect, test } from 'vitest'
import { FoundOrders } from '../src/find/found-orders.tsx'
import { lookedFor } from '../src/find/looked-for.ts'
import { orderOf } from './orders.ts'
import { shown } from './shown.tsx'

const TXID = 'd'.repeat(64)
const offering = (id: string, vout: number, changes: object = {}) =>
  orderOf({
    id: id.repeat(64),
    inspection: {
      inputOutpoints: [{ txid: TXID, vout }],
      inputWitnessUtxos: [{ valueSats: '10000' }],
    },
    ...changes,
  } as never)
const found = (q: string, orders: OrderSummary[], more: object = {}) =>
  shown(<FoundOrders of={lookedFor(q)} />, [
    [
      ['orders', 'found', q.split(':')[0], q.includes(':') ? 50 : 10] as never,
      { orders, hasMore: false, total: 1, ...more },
    ],
  ])
const linksIn = (list: Element | null | undefined) =>
  [...(list?.querySelectorAll('a') ?? [])].map((one) => one.getAttribute('href')?.at(-1))

test('of an output, orders of other outputs of its transaction are apart', async () => {
  const page = await found(`${TXID}:1`, [offering('a', 0), offering('b', 1)])
  const [own, others] = [...page.querySelectorAll('ul')]
  expect([linksIn(own), linksIn(others)]).toEqual([['b'], ['a']])
  expect(page.querySelector('h3')?.textContent).toBe('Others of its transaction')
})

test('an output of no order has none, though its transaction bought one', async () => {
  const settlement = { txid: TXID, confirmations: 1 }
  const bought = orderOf({
    settlement,
    inspection: {
      inputOutpoints: [{ txid: 'e'.repeat(64), vout: 0 }],
      inputWitnessUtxos: [{ valueSats: '10000' }],
    },
  } as never)
  const page = await found(`${TXID}:1`, [bought])
  expect(page.textContent).toContain('No order.')
  expect(page.querySelector('h3 ~ ul')?.textContent).toContain('bought by this transaction')
})

test('what was inscribed by its transaction, or spent without a sale, is not said to be bought', async () => {
  const inspection = {
    inputOutpoints: [{ txid: 'e'.repeat(64), vout: 0 }],
    inputWitnessUtxos: [{ valueSats: '10000' }],
  }
  const inscribed = orderOf({
    inspection,
    assets: [{ inscriptionId: `${TXID}i0`, inscriptionNumber: 5 }],
  } as never)
  const page = await found(`${TXID}:0`, [inscribed])
  expect(page.textContent).toContain('an inscription that it made, or it spent what they offered')
  expect(page.textContent).not.toContain('bought')
})

test('all that were counted are where the link leads: those that are withdrawn too', async () => {
  const page = await found(TXID, [offering('a', 0)], { hasMore: true, total: 12 })
  const link = [...page.querySelectorAll('a')].find((one) => one.textContent?.startsWith('All 12'))
  expect(link?.getAttribute('href')).toBe(`/?view=all&search=${TXID}&includeWithdrawn=true`)
})
