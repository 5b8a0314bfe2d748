import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { createServer, DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'

afterEach(() => vi.useRealTimers())

test('a server starts, however little processor time it has', async () => {
  vi.useFakeTimers()
  const app = createServer({ logger: pino({ level: 'silent' }), settings: DEFAULT_HTTP_SETTINGS })
  app.register(async (scope) => {
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    scope.get('/late', async () => 'here')
  })
  const started = app.ready()
  await vi.advanceTimersByTimeAsync(60_000)
  await started
  vi.useRealTimers()
  expect((await app.inject('/late')).body).toBe('here')
  await app.close()
})
