import { act } from 'preact/test-utils'
import type { OrderFacets, OrderSummary } from 'psbt-market-client'
import { describe, expect, test, vi } from 'vitest'
import { BookControls, type Change } from '../src/book/book-controls.tsx'
import { BookFacets } from '../src/book/book-facets.tsx'
import {
  addressWith,
  type BookQuery,
  changeTo,
  changeToOwn,
  ownViewOf,
  viewOf,
} from '../src/book/book-query.ts'
import { BookTable } from '../src/book/book-table.tsx'
import { BookTiles } from '../src/book/book-tiles.tsx'
import { ListChoices } from '../src/book/list-choices.tsx'
import { layout, unit } from '../src/book/looks.ts'
import { NoOrders } from '../src/book/no-orders.tsx'
import { OrderList } from '../src/book/order-list.tsx'
import { SoldItem } from '../src/content/sold-item.tsx'
import { HOSTILE, MARKUP } from './hostile.ts'
import { BID_AT_LOSS, orderOf } from './orders.ts'
import { shown } from './shown.tsx'

const NONE: ReadonlySet<string> = new Set()

test('a row says what can be done, and its amounts in the unit that its table names', async () => {
  const order = orderOf({ protocolId: 'inscriptions' })
  const page = await shown(<BookTable orders={[order]} marked={NONE} isLost={false} />)
  const row = page.querySelector(`tr[data-order="${order.id}"]`)
  expect(row?.textContent).toContain('ready to buy')
  expect(row?.textContent).toContain('Inscriptions')
  const cells = () =>
    [...page.querySelectorAll('td.number')].map((cell) => cell.textContent?.trim())
  expect(cells()).toEqual(['40\u202f000', '30\u202f000', '10\u202f000'])
  expect(page.querySelector('thead')?.textContent).toContain('Price, sats')
  await act(() => unit.write('BTC'))
  expect(cells()).toEqual(['0.00040000', '0.00030000', '0.00010000'])
  expect(page.querySelector('thead')?.textContent).toContain('Price, BTC')
  await act(() => unit.write('sats'))
})

test('a row has one link and one star; a second line says only what differs', async () => {
  const orders = [orderOf(), orderOf({ id: 'b'.repeat(64), side: 'BID' })]
  const page = await shown(<BookTable orders={orders} marked={NONE} isLost={false} />)
  const rows = [...page.querySelectorAll('tbody tr')]
  expect(rows.map((row) => row.querySelectorAll('a, button').length)).toEqual([2, 2])
  const seconds = rows.map((row) =>
    [...row.querySelectorAll('td .under')].map((one) => one.textContent),
  )
  expect(seconds).toEqual([[], ['with postage 50\u202f000']])
})

test('a bid below the postage has no price: its row and its tile say what it pays, and the loss', async () => {
  const lists = { orders: [orderOf(BID_AT_LOSS)], marked: NONE, isLost: false }
  const row = await shown(<BookTable {...lists} />)
  const cells = [...row.querySelectorAll('td.number')].map((cell) => cell.textContent?.trim())
  expect(cells).toEqual(['–pays 5\u202f000', '-5\u202f000', '10\u202f000'])
  const tile = await shown(<BookTiles {...lists} />)
  expect(tile.querySelector('.cost + .under')?.textContent).toContain(
    'pays 5\u202f000, net -5\u202f000',
  )
})

const ID = `${'c'.repeat(64)}i0`
const SHOWS = [
  ['catalog'],
  [{ id: 'inscriptions', label: 'Inscriptions', capabilities: { mediaResolution: true } }],
] as const
const sold = orderOf({ assets: [{ inscriptionId: ID, inscriptionNumber: 5 }] } as never)

describe('no list shows a picture that the page of the order refuses', () => {
  const TEXT = 'a picture'
  const known = [SHOWS, [['content', ID], { kind: 'text', text: TEXT }]] as const
  const pictures = async (order: OrderSummary) => {
    const parts = { orders: [order], marked: NONE, isLost: false }
    const words = []
    for (const one of [
      <BookTable {...parts} />,
      <BookTiles {...parts} />,
      <SoldItem order={order} />,
    ])
      words.push((await shown(one, known)).textContent?.includes(TEXT))
    return words
  }

  test('a proved one is everywhere', async () => {
    expect(await pictures(sold)).toEqual([true, true, true])
    const withdrawn = orderOf({
      ...sold,
      state: 'WITHDRAWN',
      validation: { assetStatus: 'VERIFIED', reasons: [] },
    } as never)
    expect(await pictures(withdrawn)).toEqual([true, true, true])
  })

  test.each([
    ['claimed, not asked for yet', { state: 'PENDING_NODE' }],
    ['claimed, not proved yet', { state: 'PENDING_ASSET' }],
    ['claimed, refused', { state: 'REJECTED' }],
    [
      'claimed, withdrawn before it was proved',
      { state: 'WITHDRAWN', validation: { assetStatus: 'UNAVAILABLE', reasons: [] } },
    ],
    [
      'not in the output, by the index',
      { state: 'SPENT', validation: { assetStatus: 'MISMATCH', reasons: [] } },
    ],
    [
      'hidden since it was read',
      { validation: { assetStatus: 'VERIFIED', reasons: ['hidden_by_operator'] } },
    ],
  ])('%s: nowhere', async (_, changes) => {
    expect(await pictures(orderOf({ ...sold, ...changes } as never))).toEqual([false, false, false])
  })
})

test('a row has a small picture of what is sold, in a place that an order without one has too', async () => {
  const orders = [sold, orderOf({ id: 'b'.repeat(64) })]
  const known = [SHOWS, [['content', ID], { kind: 'text', text: 'cat.sats' }]] as const
  const table = <BookTable orders={orders} marked={NONE} isLost={false} />
  const page = await shown(table, known)
  const places = [...page.querySelectorAll('td.thumb')]
  expect(places.map(({ textContent }) => textContent)).toEqual(['cat.sats', ''])
  // The link of the row says what it is.
  expect(places[0]?.firstElementChild?.getAttribute('aria-hidden')).toBe('true')
  expect((await shown(table)).querySelector('.thumb, [data-pictures]')).toBeNull()
})

test.each([
  [BookTable, 'cat.sats', 'cat.sats'],
  [BookTiles, 'cat.sats', 'cat.sats'],
  [BookTable, '{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1000"}', 'ordi 1\u202f000'],
  [BookTable, 'a sentence. Another', 'Inscription 5'],
])('the link of an order says what its content is, in words: %o, %j', async (List, text, words) => {
  const asked = vi.spyOn(globalThis, 'fetch')
  const known = [SHOWS, [['content', ID], { kind: 'text', text }]] as const
  const titleIn = async (order: OrderSummary) => {
    const page = await shown(<List orders={[order]} marked={NONE} isLost={false} />, known)
    return page.querySelector('a.whole')?.textContent
  }
  expect(await titleIn(sold)).toBe(words)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
  const validation = { ...sold.validation, reasons: ['hidden_by_operator'] }
  expect(await titleIn({ ...sold, validation } as OrderSummary)).toBe('Inscription 5')
  expect(await titleIn({ ...sold, state: 'PENDING_ASSET' })).toBe('Inscription 5')
})

test('a title asks for no content that its picture has not: that waits until it is in view', async () => {
  const asked = vi.spyOn(globalThis, 'fetch')
  class Unseen {
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Unseen)
  await shown(<BookTable orders={[sold]} marked={NONE} isLost={false} />, [SHOWS])
  expect(asked).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
  asked.mockRestore()
})

test('no row draws an SVG: a book that is opened runs nothing of strangers', async () => {
  const known = [SHOWS, [['content', ID], { kind: 'svg', url: 'about:blank' }]] as const
  const page = await shown(<BookTable orders={[sold]} marked={NONE} isLost={false} />, known)
  expect(page.querySelector('td.thumb')?.textContent).toBe('SVG')
  expect(page.querySelector('iframe')).toBeNull()
})

test('rows wait until it is known whether they have pictures: none moves for them', async () => {
  const list = <OrderList orders={[sold]} marked={NONE} isLost={false} />
  const page = await shown(list, [[['catalog'], undefined]])
  expect(page.querySelector('table')).toBeNull()
  expect(page.querySelector('.loading')).not.toBeNull()
})

test('tiles show what rows show, with a place for what is sold', async () => {
  const order = orderOf({ protocolId: 'inscriptions' })
  await act(() => layout.write('tiles'))
  const notes = new Map([[order.id, 'was settled']])
  const page = await shown(
    <OrderList orders={[order]} marked={NONE} isLost={false} notes={notes} />,
  )
  const tile = page.querySelector(`li[data-order="${order.id}"]`)
  expect(tile?.querySelector('.picture')?.textContent).toBe('Inscriptions')
  for (const text of [
    '40\u202f000 sats',
    'net 30\u202f000',
    'live',
    'ready to buy',
    'was settled',
  ]) {
    expect(tile?.textContent).toContain(text)
  }
  expect(tile?.querySelectorAll('a')).toHaveLength(1)
  await act(() => layout.write('table'))
  expect(page.querySelector('table')).not.toBeNull()
})

test('a choice of the list is kept, and another word than the offered ones is not taken', async () => {
  const page = await shown(<ListChoices />)
  const [, btc] = page.querySelectorAll<HTMLButtonElement>('button')
  await act(() => btc?.click())
  expect(btc?.getAttribute('aria-pressed')).toBe('true')
  expect(localStorage.getItem('market.unit')).toBe('BTC')
  localStorage.setItem('market.unit', 'bananas')
  await act(() => void dispatchEvent(new StorageEvent('storage', { key: 'market.unit' })))
  expect(unit.read()).toBe('sats')
})

describe('filters are in force while one types', () => {
  const typeInto = async (page: HTMLElement, name: string, text: string) => {
    const field = page.querySelector<HTMLInputElement>(`input[name="${name}"]`)
    if (!field) throw new Error(`no field ${name}`)
    field.value = text
    await act(() => void field.dispatchEvent(new Event('input', { bubbles: true })))
    return field
  }
  const controls = async (filters: BookQuery = {}) => {
    const changes: unknown[] = []
    const change: Change = (...one) => void changes.push(one)
    const page = await shown(<BookControls filters={filters} sort="newest" change={change} />)
    return { page, changes }
  }

  test('once, a moment after the last key, without a step to go back to', async () => {
    vi.useFakeTimers()
    const { page, changes } = await controls()
    await typeInto(page, 'search', 'ab')
    await typeInto(page, 'search', 'abc ')
    expect(changes).toEqual([])
    vi.runAllTimers()
    expect(changes).toEqual([[{ search: 'abc', view: null }, false]])
    await typeInto(page, 'priceMax', '0.001 BTC')
    vi.runAllTimers()
    expect(changes.at(-1)).toEqual([{ priceMax: '100000' }, false])
    vi.useRealTimers()
  })

  test('a price that is none is not asked for; its field says how one is written', async () => {
    vi.useFakeTimers()
    const { page, changes } = await controls()
    const field = await typeInto(page, 'priceMin', '0.00')
    await act(() => void vi.runAllTimers())
    expect(changes).toEqual([])
    expect(field.getAttribute('aria-invalid')).toBe('true')
    const hint = document.getElementById(field.getAttribute('aria-describedby') ?? '')
    expect(hint?.textContent).toBe('Write 100 000, or 0.001 BTC')
    await typeInto(page, 'priceMin', '100 000')
    await act(() => void vi.runAllTimers())
    expect(changes).toEqual([[{ priceMin: '100000' }, false]])
    expect(field.getAttribute('aria-invalid')).toBe('false')
    vi.useRealTimers()
  })
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

test('an own view is named by the address, and has no filters', () => {
  expect(ownViewOf('?view=watched')).toBe('watched')
  expect(ownViewOf('?view=sold')).toBeNull()
  expect(addressWith('?state=SPENT&token=ordi&cursor=abc', changeToOwn('mine'))).toBe('/?view=mine')
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
