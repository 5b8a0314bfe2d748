import Fastify, { type FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { loadCounters } from '../../../src/http/limits/client-counts.ts'
import { openKeyLimits } from '../../../src/http/limits/key-limits.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const LATE_MS = 20
let app: FastifyInstance
afterEach(() => app.close())

/** A gateway of two requests at once of all customers, whose counts are kept elsewhere. */
async function opened(requests: number, answer: () => number): Promise<() => Promise<number[]>> {
  app = Fastify()
  app.decorateRequest('customer', null)
  const count = async () => {
    await new Promise((resolve) => setTimeout(resolve, LATE_MS))
    return { current: answer(), ttlMs: 60_000 }
  }
  loadCounters(app, { count })
  app.register(async (scope) => {
    const keys = openKeyLimits(scope, {
      perMinute: 60,
      clock: new ManualClock(),
      registry: new Registry(),
    })
    const tier = { name: 'maker', requests, storedKib: 256, streams: 1, webhooks: 1 }
    scope.get('/', async (request, reply) => {
      request.customer = { name: 'acme', tier }
      await keys.take(request, reply)
      return 'served'
    })
  })
  await app.ready()
  return async () => {
    const all = Array.from({ length: 20 }, () => app.inject('/'))
    return (await Promise.all(all)).map(({ statusCode }) => statusCode)
  }
}

const served = (statuses: readonly number[]) => statuses.filter((one) => one === 200).length

test('requests that wait for their count at once are no more than all customers may send', async () => {
  const sendMany = await opened(1_000, () => 1)
  expect(served(await sendMany())).toBe(2)
  expect(served(await sendMany())).toBe(0)
})

test('a request that its tier refuses, or that cannot be counted, leaves its token to others', async () => {
  let answer = () => 8
  const sendMany = await opened(7, () => answer())
  expect(served(await sendMany())).toBe(0)
  await app.close()
  answer = () => {
    throw new Error('the store is away')
  }
  const again = await opened(7, () => answer())
  expect(served(await again())).toBe(0)
  answer = () => 1
  expect(served(await again())).toBe(2)
})
