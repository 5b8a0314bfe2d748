import { QueryClientProvider } from '@tanstack/preact-query'
import { act } from 'preact/test-utils'
import { NetworkError } from 'psbt-market-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { market, queryClient } from '../../src/api/market.ts'
import { refresh } from '../../src/api/refresh.ts'
// The page loads it by itself, which must not outlive the test.
import '../../src/order/buy-steps.tsx'
import { OrderPage } from '../../src/order/order-page.tsx'
import { wholeOrder } from '../orders.ts'
import { shown } from '../shown.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  queryClient.clear()
})

test('an order whose newest state cannot be read is not called live, and is read until it can be', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  let answer = async (): Promise<unknown> => wholeOrder()
  const get = vi.spyOn(market, 'get').mockImplementation((async (path: string) => {
    if (path === '/api/market/catalog') return []
    return path === '/api/market/orders/{id}' ? answer() : new Promise(() => {})
  }) as never)
  vi.spyOn(market, 'follow').mockReturnValue({
    async *[Symbol.asyncIterator]() {
      await new Promise(() => {})
    },
  } as never)
  const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))
  const page = await shown(
    <QueryClientProvider client={queryClient}>
      <OrderPage id={wholeOrder().id} />
    </QueryClientProvider>,
  )
  await pass(100)
  const badge = () => page.querySelector('.order .badge')?.textContent
  expect(badge()).toBe('live')
  answer = () => Promise.reject(new NetworkError('GET http://127.0.0.1: refused'))
  refresh('order')
  await pass(2_000)
  expect(badge()).toBe('live when last heard')
  expect(page.querySelector('[role="alert"]')?.textContent).toContain('does not answer')
  answer = async () => wholeOrder({ state: 'SETTLED', actionability: 'NONE' })
  get.mockClear()
  await pass(16_000)
  expect(badge()).toBe('settled')
  expect(page.querySelector('[role="alert"]')).toBeNull()
  get.mockClear()
  await pass(60_000)
  expect(get.mock.calls.filter(([path]) => path === '/api/market/orders/{id}')).toHaveLength(0)
})
