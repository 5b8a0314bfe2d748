import { act } from 'preact/test-utils'
import type { StreamItem } from 'psbt-market-client'
import { UnexpectedAnswerError } from 'psbt-market-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useLive } from '../src/api/live.ts'
import { market } from '../src/api/market.ts'
import { shown } from './shown.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const snapshot = (reason: string) =>
  ({ type: 'snapshot', id: 'p1', reason, data: { orders: [{ id: 'a' }] } }) as StreamItem
const change = { type: 'change', id: 'p2', data: { orderId: 'a' } } as StreamItem

/** The streams that are opened, one after another: their items, and then how each ends; by default it stays. */
function streamsOf(...streams: { items: StreamItem[]; error?: Error }[]) {
  const left = [...streams]
  return vi.spyOn(market, 'follow').mockImplementation((_query, options) => {
    const { items, error } = left.shift() ?? { items: [] }
    let place = options?.lastEventId ?? null
    async function* iterate() {
      for (const item of items) {
        options?.onHeard?.()
        place = item.id
        yield item
      }
      if (error) throw error
      await new Promise(() => {})
    }
    return {
      [Symbol.asyncIterator]: iterate,
      get lastEventId() {
        return place
      },
    } as never
  })
}

async function follow() {
  const news: unknown[] = []
  const Page = () => <p>{useLive({}, (one) => news.push(one))}</p>
  const page = await shown(<Page />)
  await act(async () => void (await vi.advanceTimersByTimeAsync(0)))
  return { news, page }
}

test('what a page has read may be older than the stream: it is read again when that begins', async () => {
  streamsOf({ items: [snapshot('begun'), change] })
  const { news, page } = await follow()
  expect(news).toEqual([null, { orderId: 'a' }])
  expect(page.textContent).toBe('live')
})

test('an answer that no repetition mends is lost, and followed anew from the last place', async () => {
  const opened = streamsOf(
    { items: [snapshot('begun'), change], error: new UnexpectedAnswerError('a page') },
    { items: [change] },
  )
  const { news, page } = await follow()
  expect(page.textContent).toBe('lost')
  expect(opened).toHaveBeenCalledTimes(1)
  await act(async () => void (await vi.advanceTimersByTimeAsync(30_000)))
  expect(opened).toHaveBeenCalledTimes(2)
  expect(opened.mock.lastCall?.[1]).toMatchObject({ lastEventId: 'p2' })
  expect(page.textContent).toBe('live')
  expect(news).toHaveLength(3)
})
