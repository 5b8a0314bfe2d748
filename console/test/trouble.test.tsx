import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/preact-query'
import { createMarketClient } from 'psbt-market-client'
import { afterEach, expect, test, vi } from 'vitest'
import { play } from '../src/api/devnet-control.ts'
import { queryClient } from '../src/api/market.ts'
import { Trouble } from '../src/ui/awaited/trouble.tsx'
import { shown } from './shown.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  onlineManager.setOnline(true)
})

const ORIGIN = 'http://127.0.0.1:8080'
const read = () =>
  createMarketClient({ baseUrl: ORIGIN, attempts: 1, attemptMs: 20 }).get('/api/market/catalog')
const saidOf = async (failed: () => Promise<unknown>) => {
  const error = await failed().then(
    () => null,
    (cause: unknown) => cause,
  )
  const page = await shown(<Trouble error={error} again={() => {}} />)
  expect(page.querySelector('button')?.textContent).toBe('Try again')
  return page.querySelector('p')?.textContent
}
const refuse = async () => Promise.reject(new TypeError('Failed to fetch'))
const hang = (_: unknown, { signal }: RequestInit) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test.each([
  ['cannot be reached', refuse, read, /^The service does not answer\. .*try again\.$/],
  ['hangs', hang, read, /^The service gave no answer in time\. Try again/],
  ['is a proxy with a page', async () => new Response('<html>'), read, /^What answered is not the/],
  ['has no devnet now', refuse, () => play('mine', {}), /^The service does not answer\./],
])('a service that %s is said without its address', async (_, answer, ask, words) => {
  vi.stubGlobal('fetch', answer)
  expect(await saidOf(ask)).toMatch(words)
})

test('without a network, what is clicked or read fails now, and is not done once there is one', async () => {
  const ask = vi.fn(refuse)
  queryClient.mount()
  onlineManager.setOnline(false)
  const click = new MutationObserver(queryClient, { mutationFn: ask })
  click.mutate().catch(() => {})
  const read = new QueryObserver(queryClient, { queryKey: ['any'], queryFn: ask })
  void read.refetch()
  await vi.waitFor(
    () => {
      expect(click.getCurrentResult().error?.message).toBe('Failed to fetch')
      expect(read.getCurrentResult().error?.message).toBe('Failed to fetch')
    },
    { timeout: 10_000 },
  )
  onlineManager.setOnline(true)
  await queryClient.resumePausedMutations()
  expect(ask).toHaveBeenCalledTimes(2)
  queryClient.unmount()
})
