import { act } from 'preact/test-utils'
import type { OrderFacets } from 'psbt-market-client'
import { expect, test } from 'vitest'
import { BookFacets } from '../src/book/book-facets.tsx'
import { addressWith, changeTo, viewOf } from '../src/book/book-query.ts'
import { BookTable } from '../src/book/book-table.tsx'
import { NoOrders } from '../src/book/no-orders.tsx'
import { HOSTILE, MARKUP } from './hostile.ts'
import { orderOf } from './orders.ts'
import { shown } from './shown.tsx'

const NONE: ReadonlySet<string> = new Set()

test('a row says what can be done, and its price, net and postage in sats and BTC', async () => {
  const order = orderOf({ protocolId: 'inscriptions' })
  const page = await shown(<BookTable orders={[order]} marked={NONE} isLost={false} />)
  const row = page.querySelector(`tr[data-order="${order.id}"]`)
  expect(row?.textContent).toContain('ready to buy')
  expect(row?.textContent).toContain('Inscriptions')
  const cells = [...(row?.querySelectorAll('td.number') ?? [])].map((cell) => cell.textContent)
  expect(cells).toEqual(['40\u202f0000.00040000 BTC', '30\u202f0000.00030000 BTC', '10\u202f000'])
})

test('a page that has lost its stream claims nothing of now', async () => {
  const page = await shown(<BookTable orders={[orderOf()]} marked={NONE} isLost />)
  expect(page.textContent).not.toContain('ready to buy')
  expect(page.querySelector('table')?.hasAttribute('data-lost')).toBe(true)
})

test('orders that changed are marked', async () => {
  const orders = [orderOf(), orderOf({ id: 'b'.repeat(64) })]
  const page = await shown(
    <BookTable orders={orders} marked={new Set(['b'.repeat(64)])} isLost={false} />,
  )
  const marked = [...page.querySelectorAll('tr[data-marked]')]
  expect(marked.map((row) => row.getAttribute('data-order'))).toEqual(['b'.repeat(64)])
})

test('an empty list says what that means, and what to do next', async () => {
  const changes: unknown[] = []
  const change = (one: Record<string, string | null>) => void changes.push(one)
  const none = await shown(<NoOrders view="asks" filters={{}} change={change} />)
  expect(none.textContent).toBe('Nothing is for sale now. Sell something')
  expect(none.querySelector('a')?.getAttribute('href')).toBe('/console/sell')
  const filters = { token: 'nothing' }
  const filtered = await shown(<NoOrders view="asks" filters={filters} change={change} />)
  expect(filtered.textContent).toBe('No order matches. Clear filters')
  await act(() => filtered.querySelector('button')?.click())
  expect(changes).toEqual([expect.objectContaining({ token: null, priceMin: null })])
})

test.each([
  ['', 'asks'],
  ['?token=ordi&priceMax=5', 'asks'],
  ['?view=sold', 'sold'],
  ['?view=nothing', 'asks'],
  ['?view=toString', 'asks'],
  ['?search=abc', 'all'],
  ['?view=asks&search=abc', 'asks'],
  ['?state=WITHDRAWN', 'all'],
  ['?side=BID', 'all'],
  ['?includeWithdrawn=true', 'all'],
])('the address %j shows %s', (search, view) => {
  expect(viewOf(search)).toBe(view)
})

test('another view keeps the filters that it offers, and has its own order and first page', () => {
  const address = '?state=SPENT&side=BID&token=ordi&sort=token_asc&cursor=abc&includeWithdrawn=true'
  expect(addressWith(address, changeTo('sold'))).toBe('/?side=BID&token=ordi&view=sold')
  expect(addressWith(address, changeTo('asks'))).toBe('/?token=ordi&view=asks')
})

test.each(HOSTILE)('a token or market %j is text', async (text) => {
  const order = orderOf({ token: text, protocolId: text })
  const page = await shown(<BookTable orders={[order]} marked={NONE} isLost={false} />)
  expect(page.querySelector('bdi')?.textContent).toBe(text)
  expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
})

test('a facet is chosen by a click and left by another; values without orders are not shown', async () => {
  const counts = {
    facets: {
      side: [
        { value: 'ASK', count: 3 },
        { value: 'BID', count: 0 },
      ],
    },
  } as unknown as OrderFacets
  const changes: unknown[] = []
  const change = (one: Record<string, string | null>) => void changes.push(one)
  for (const filters of [{}, { side: 'ASK' as const }]) {
    const page = await shown(
      <BookFacets view="all" facets={counts} filters={filters} change={change} />,
    )
    const facets = [...page.querySelectorAll<HTMLButtonElement>('button.facet')]
    expect(facets.map((one) => one.textContent)).toEqual(['asks3'])
    await act(() => facets[0]?.click())
  }
  expect(changes).toEqual([{ side: 'ASK' }, { side: null }])
})
