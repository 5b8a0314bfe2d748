import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { useCatalog } from '../src/api/catalog.ts'
import { market } from '../src/api/market.ts'
import { useSettings } from '../src/api/settings.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const refusal = () => Response.json({ code: 'UNAVAILABLE' }, { status: 503 })

/** Shown by a page whose time is moved on; nothing is retried but by the page itself. */
async function waiting(Shown: () => preact.ComponentChild) {
  vi.useFakeTimers()
  const place = document.createElement('main')
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  await act(() => {
    render(
      <QueryClientProvider client={client}>
        <Shown />
      </QueryClientProvider>,
      place,
    )
  })
  return {
    place,
    pass: (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms))),
  }
}

test('settings that were refused while the service started are read once it is there, and then no more', async () => {
  const fetched = vi.fn(async () => refusal())
  vi.stubGlobal('fetch', fetched)
  const { place, pass } = await waiting(() => <>{JSON.stringify(useSettings())}</>)
  await pass(1_000)
  expect(place.textContent).toBe('{"isDevnet":false,"showsFiat":false}')
  fetched.mockImplementation(async () => Response.json({ isDevnet: true }))
  await pass(10_000)
  expect(place.textContent).toContain('"isDevnet":true')
  const read = fetched.mock.calls.length
  await pass(60_000)
  expect(fetched).toHaveBeenCalledTimes(read)
})

test('so is the catalog', async () => {
  const get = vi.spyOn(market, 'get').mockRejectedValue(new Error('unavailable'))
  const { place, pass } = await waiting(() => <>{useCatalog().data?.length}</>)
  await pass(1_000)
  expect(place.textContent).toBe('')
  get.mockResolvedValue([{ id: 'inscriptions' }] as never)
  await pass(10_000)
  expect(place.textContent).toBe('1')
  const read = get.mock.calls.length
  await pass(60_000)
  expect(get).toHaveBeenCalledTimes(read)
})
