import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { askService } from '../../../src/operator/service/ask-service.ts'
import { followOrder } from '../../../src/operator/service/follow-order.ts'

const address = 'http://127.0.0.1:1'

// It accepts, and says nothing.
beforeEach(() => {
  vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
    return new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const messageOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: Error) => error.message,
  )

test.each([
  ['GET', ''],
  ['POST', ': what was asked may have taken effect'],
] as const)('a %s that takes too long is named as such%s', async (method, effect) => {
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(
    AbortSignal.abort(new DOMException('too long', 'TimeoutError')),
  )
  const asked = askService({ address, isOwn: true }, { method, path: '/', answer: z.unknown() })
  expect(await messageOf(asked)).toBe(`no answer from ${address} within 20 s${effect}`)
})

test('a request that its caller ends is not named as too long', async () => {
  const signal = AbortSignal.abort(new Error('the caller left'))
  const asked = askService({ address, signal }, { path: '/', answer: z.unknown() })
  expect(await messageOf(asked)).toBe(`cannot reach the service at ${address}: the caller left`)
})

test('a stream that never begins is named by how long it was waited for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const following = { signal: new AbortController().signal, onLost: () => {} }
  const first = messageOf(followOrder({ address }, 'a'.repeat(64), following).next())
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await first).toBe(`cannot reach the service at ${address}: it said nothing for 30 s`)
})
