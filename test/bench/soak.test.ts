import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Pages } from '../../bench/rehearsal/pages.ts'
import { oldestAgeMs, type Second, slopeAnHour } from '../../bench/soak/figures.ts'
import { Readers } from '../../bench/soak/readers.ts'

const second = (at: number, heapMb: number): Second => {
  return { at, heapMb, rssMb: 300, reads: 10, shed: 0, p99Ms: 5, lagMs: 1_000 }
}

test('a slope is what a measure grows by in an hour', () => {
  expect(slopeAnHour([second(1, 10), second(2, 11), second(3, 12)], 'heapMb')).toBeCloseTo(3_600)
  expect(slopeAnHour([second(1, 10), second(2, 12), second(3, 10)], 'heapMb')).toBeCloseTo(0)
  expect(slopeAnHour([second(1, 10), second(2, 11)], 'rssMb')).toBe(0)
  expect(slopeAnHour([second(1, 10)], 'heapMb')).toBe(0)
})

test('the age is that of the verification that is oldest, wherever it is in the list', () => {
  const now = Date.parse('2026-01-01T00:10:00.000Z')
  const ofAges = [
    '2026-01-01T00:09:59.000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:09:58.000Z',
  ]
  expect(oldestAgeMs(ofAges, now)).toBe(600_000)
  expect(oldestAgeMs(['2026-01-01T00:10:01.000Z'], now)).toBe(0)
  expect(() => oldestAgeMs([], now)).toThrow('no order is LIVE')
})

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** Answers with these statuses, then with the last of them; 0: the connection is cut. */
async function answering(...statuses: number[]): Promise<string> {
  const left = [...statuses]
  const server = createServer((request, response) => {
    const status = left.length > 1 ? left.shift() : left[0]
    if (status === 0) request.socket.destroy()
    else response.writeHead(status ?? 200).end()
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('reads that are shed are counted by themselves, and are no capacity', async () => {
  await using readers = new Readers(await answering(200, 503, 503, 200, 503), () => '/')
  const perSecond = await readers.flatOut(200)
  expect(perSecond).toBe((2 * 1_000) / 200)
  await using steady = new Readers(await answering(200, 503, 503, 200, 503), () => '/')
  const stop = new AbortController()
  const load = steady.steady(200, stop.signal)
  await expect.poll(() => steady.taken().shed).toBeGreaterThan(1)
  stop.abort()
  await load
})

test.each([
  ['an answer that is no answer', 500, 'answered 500'],
  ['a cut connection', 0, 'other side closed'],
])(
  'a steady load ends at %s, with its error and what was read before',
  async (_, status, error) => {
    await using readers = new Readers(await answering(200, 200, status), () => '/')
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      await expect(readers.steady(500, new AbortController().signal)).rejects.toThrow(error)
      expect(readers.taken().latencies).toHaveLength(2)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  },
)

test('a refused page is no fast page of a rehearsal', async () => {
  const served = new Pages(`${await answering(200)}/`, 1)
  expect(await served.slowestMs()).toBeGreaterThan(0)
  const refused = new Pages(`${await answering(503)}/`, 1)
  await expect(refused.slowestMs()).rejects.toThrow('answered 503')
})
