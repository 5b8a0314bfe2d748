import { act } from 'preact/test-utils'
import type { StreamChange } from 'psbt-market-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { announceChange } from '../src/api/changes.ts'
import { WatchedOrders } from '../src/book/watched-orders.tsx'
import { browserNotices } from '../src/watch/browser-notice.ts'
import { clearNews } from '../src/watch/news.ts'
import { WatchButton } from '../src/watch/watch-button.tsx'
import { MAX_WATCHED, noteSeen, watchList } from '../src/watch/watch-list.ts'
import { WatchNews } from '../src/watch/watch-news.tsx'
import { whatChanged } from '../src/watch/what-changed.ts'
import { HOSTILE, MARKUP } from './hostile.ts'
import { orderOf } from './orders.ts'
import { shown } from './shown.tsx'

const ORDER = orderOf()
const LIVE = { state: 'LIVE', priceSats: '40000' } as const
const idOf = (at: number): string => at.toString(16).padStart(64, '0')

/** What another tab, or anything else, wrote. */
const storedElsewhere = async (text: string) => {
  localStorage.setItem('market.watched', text)
  await act(() => void dispatchEvent(new StorageEvent('storage', { key: 'market.watched' })))
}

afterEach(async () => {
  await act(() => {
    watchList.write([])
    browserNotices.write('off')
    clearNews()
  })
  vi.unstubAllGlobals()
})

describe('a star', () => {
  test('has the browser watch an order as it is now, and another click ends that', async () => {
    const page = await shown(<WatchButton id={ORDER.id} order={ORDER} />)
    const star = page.querySelector('button')
    expect(star?.getAttribute('aria-pressed')).toBe('false')
    await act(() => star?.click())
    expect(star?.getAttribute('aria-pressed')).toBe('true')
    const stored: unknown = JSON.parse(localStorage.getItem('market.watched') ?? '')
    expect(stored).toEqual([{ id: ORDER.id, seen: LIVE }])
    await act(() => star?.click())
    expect(localStorage.getItem('market.watched')).toBe('[]')
  })

  test('takes no more when the list is full', async () => {
    await act(() =>
      watchList.write(
        Array.from({ length: MAX_WATCHED }, (_, at) => ({ id: idOf(at), seen: null })),
      ),
    )
    const page = await shown(<WatchButton id={ORDER.id} />)
    expect(page.querySelector('button')?.disabled).toBe(true)
    expect(page.querySelector('button')?.title).toBe('The watch list is full: 200')
  })
})

describe('what the browser kept is checked', () => {
  test.each([
    ['no JSON', '{'],
    ['no list', '{"id":"a"}'],
    ['no ids', '[null, 7, {"id":"../../x"}, {"id":7}, {"id":"<img src=x>"}]'],
    ['too much', `["${'a'.repeat(200_000)}"]`],
  ])('%s', async (_, text) => {
    await storedElsewhere(text)
    expect(watchList.read()).toEqual([])
  })

  test('states, prices, twice the same, more than are kept', async () => {
    const entries = [
      { id: idOf(1), seen: { state: 'SOLD?', priceSats: '1' } },
      { id: idOf(2), seen: { state: 'LIVE', priceSats: '<b>' }, more: 'ignored' },
      { id: idOf(2), seen: null },
      ...Array.from({ length: 300 }, (_, at) => ({ id: idOf(10 + at), seen: null })),
    ]
    await storedElsewhere(JSON.stringify(entries))
    expect(watchList.read()).toHaveLength(MAX_WATCHED)
    expect(watchList.read().slice(0, 3)).toEqual([
      { id: idOf(1), seen: null },
      { id: idOf(2), seen: { state: 'LIVE', priceSats: null } },
      { id: idOf(10), seen: null },
    ])
  })
})

test('what changed since one looked is said in words', () => {
  expect(whatChanged(null, LIVE)).toBeNull()
  expect(whatChanged(LIVE, LIVE)).toBeNull()
  expect(whatChanged(LIVE, { state: 'SETTLED', priceSats: '40000' })).toBe('was live')
  expect(whatChanged(LIVE, { state: 'SPENT', priceSats: '7000' })).toBe(
    'was live, was 40\u202f000 sats',
  )
})

describe('the view of watched orders', () => {
  const settled = orderOf({ id: 'b'.repeat(64), state: 'SETTLED' })
  const answers = [
    [['order', ORDER.id], ORDER],
    [['order', settled.id], settled],
  ] as const
  const view = () => shown(<WatchedOrders marked={new Set()} isLost={false} />, answers)

  test('has what changed first, and says it until one leaves or marks it as seen', async () => {
    await act(() =>
      watchList.write([
        { id: ORDER.id, seen: LIVE },
        { id: settled.id, seen: LIVE },
      ]),
    )
    const page = await view()
    expect(page.textContent).toContain('1 has changed since you looked')
    const rows = [...page.querySelectorAll('tr[data-order]')]
    expect(rows.map((row) => row.getAttribute('data-order'))).toEqual([settled.id, ORDER.id])
    expect(rows.map((row) => row.querySelector('.note')?.textContent)).toEqual([
      'was live',
      undefined,
    ])
    const mark = [...page.querySelectorAll('button')].find(
      (one) => one.textContent === 'Mark all as seen',
    )
    await act(() => mark?.click())
    expect(page.querySelector('.note')).toBeNull()
    expect(watchList.read()[1]?.seen).toEqual({ state: 'SETTLED', priceSats: '40000' })
  })

  test('says how to watch something where nothing is', async () => {
    const page = await view()
    expect(page.querySelector('.empty')?.textContent).toContain('Nothing is watched.')
    expect(page.querySelectorAll('.empty a')).toHaveLength(1)
  })

  test('an order that was looked at keeps its place', () => {
    watchList.write([
      { id: idOf(1), seen: null },
      { id: idOf(2), seen: LIVE },
    ])
    noteSeen(new Map([[idOf(1), LIVE]]))
    expect(watchList.read()).toEqual([
      { id: idOf(1), seen: LIVE },
      { id: idOf(2), seen: LIVE },
    ])
  })
})

describe('a change in the stream', () => {
  const changeOf = (order: StreamChange['order'], orderId = ORDER.id) =>
    ({ orderId, seq: 2, observedAt: '', entry: null, order }) satisfies StreamChange
  const settled = orderOf({ state: 'SETTLED' })
  const news = async () => {
    await act(() => watchList.write([{ id: ORDER.id, seen: LIVE }]))
    return shown(<WatchNews />)
  }

  test('of a watched order is said in a live region and counted in the title, until dismissed', async () => {
    const page = await news()
    await act(() => announceChange(changeOf(settled)))
    const region = page.querySelector('[role="status"]')
    expect(region?.textContent).toContain('is settled; it was live.')
    expect(document.title).toMatch(/^\(1\) /)
    // The same again is no news.
    await act(() => announceChange(changeOf(settled)))
    expect(document.title).toMatch(/^\(1\) /)
    const dismiss = [...page.querySelectorAll('button')].at(-1)
    await act(() => dismiss?.click())
    expect(region?.textContent).toBe('')
    expect(document.title).not.toContain('(')
  })

  test('of another order, or one that looks as it did, is no news', async () => {
    const page = await news()
    await act(() => announceChange(changeOf(orderOf())))
    await act(() => announceChange(changeOf(settled, 'c'.repeat(64))))
    expect(page.querySelector('[role="status"]')?.textContent).toBe('')
  })

  test('is said by the browser too only where that was asked for, and the page is not in front', async () => {
    const said: unknown[] = []
    class Notices {
      static permission = 'granted'
      constructor(title: string, options: NotificationOptions) {
        said.push([title, options.tag])
      }
    }
    vi.stubGlobal('Notification', Notices)
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    await news()
    await act(() => announceChange(changeOf(settled)))
    expect(said).toEqual([])
    browserNotices.write('on')
    await act(() => announceChange(changeOf(orderOf({ state: 'SPENT' }))))
    expect(said).toEqual([['PSBT Market', ORDER.id]])
  })

  test.each(HOSTILE)('of an order named %j is text', async (text) => {
    const page = await news()
    const assets = [{ inscriptionId: text, outpoint: { txid: 'd'.repeat(64), vout: 0 } }]
    await act(() => announceChange(changeOf(orderOf({ state: 'SPENT', assets }))))
    expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
  })
})
