import Fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { RefusalError } from '../../../src/gateway/refusal.ts'
import { answerInMessages } from '../../../src/http/answers/message-errors.ts'
import { recogniseCustomer } from '../../../src/http/clients/customers.ts'
import { RefusalThrottle } from '../../../src/http/limits/refusal-throttle.ts'
import { answerErrors } from '../../../src/http/plugins/errors.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const KEY = `mkc_${'A'.repeat(43)}`

/** Whether so many requests with this token are answered before any time passes. */
async function answeredWith(token: string, count: number): Promise<number> {
  const throttle = new RefusalThrottle(new ManualClock())
  const recognise = (one: string) => (one === KEY ? { name: 'acme', tier: null } : null)
  const hook = recogniseCustomer({ recognise }, throttle)
  let answered = 0
  for (let n = 0; n < count; n += 1) {
    const request = {
      customer: null,
      headers: { authorization: `Bearer ${token}` },
      routeOptions: { config: {} },
      server: {},
    }
    const settled = hook.call({} as never, request as never, { header: () => {} } as never)
    const count = () => {
      answered += 1
    }
    void settled.then(count, count)
  }
  await new Promise(setImmediate)
  return answered
}

test('a flood of wrong keys is delayed, as other refusals are; right ones are not', async () => {
  expect(await answeredWith(`mkc_${'B'.repeat(43)}`, 300)).toBe(200)
  expect(await answeredWith(KEY, 300)).toBe(300)
})

test('while the keys are not read, a key is 503 in the shape of its route, and no defect', async () => {
  const logged: string[] = []
  const stream = { write: (line: string) => void logged.push(line) }
  const app = Fastify({ logger: { level: 'error', stream } })
  answerErrors(app)
  app.decorateRequest('customer', null)
  const recognise = () => {
    throw new RefusalError('STORAGE_UNAVAILABLE', 'not read yet')
  }
  app.register(async (guarded) => {
    const throttle = new RefusalThrottle(new ManualClock())
    guarded.addHook('onRequest', recogniseCustomer({ recognise }, throttle))
    guarded.get('/market', async () => 'read')
    const messages = async (scope: FastifyInstance) => {
      answerInMessages(scope)
      scope.get('/things', async () => 'read')
      const config = { unavailable: { status: 'withheld' } }
      scope.get('/verified', { config }, async () => 'read')
    }
    guarded.register(messages, { prefix: '/pairing' })
  })
  const ask = async (url: string) => {
    const headers = { authorization: `Bearer ${KEY}` }
    const answer = await app.inject({ url, headers })
    expect([answer.statusCode, answer.headers['retry-after']], url).toEqual([503, '5'])
    return answer.json()
  }
  expect(await ask('/market')).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect(await ask('/pairing/things')).toEqual({
    message: 'not read yet',
    error: 'Service Unavailable',
    statusCode: 503,
  })
  expect(await ask('/pairing/verified')).toEqual({ status: 'withheld' })
  expect(logged).toEqual([])
  await app.close()
})
