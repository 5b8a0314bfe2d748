import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventLog } from '../../../src/ports/log/event-log.ts'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { READINESS } from '../../../src/roles/context/serve.ts'
import { probesOf } from '../../../src/roles/parts/probes.ts'
import { roleReadiness } from '../../../src/streams/readiness/role-readiness.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'
import { movedClock } from '../../support/moved-clock.ts'
import { makeAsk } from '../../support/orders/psbt-orders.ts'

// production A1, without servers; with them: test/services/gateway-readiness.test.ts.

const TEN_MINUTES_MS = 600_000
const clock = movedClock()
const away = () => Promise.reject(new StorageUnavailableError('io', 'no broker answers'))
async function* nothing(): AsyncGenerator<never> {
  yield await away()
}
const log: EventLog = {
  id: 'a log that is away',
  partitions: 2,
  append: away,
  read: nothing,
  stored: nothing,
  end: away,
  consumed: away,
  processInbox: away,
}
let it: TestApp

beforeAll(async () => {
  it = await openTestApp({
    ports: { log, clock },
    readiness: () => readiness(),
  })
})
afterAll(() => it.close())

const readiness = (): ReturnType<ReturnType<typeof roleReadiness>> => {
  const { views } = it.gateway
  const history = { ...it.gateway.history, probe: async () => {} }
  const authorities = { node: null, blocks: null, index: null, devnet: null }
  const book = { views, history: history as Parameters<typeof probesOf>[0]['book']['history'] }
  return roleReadiness(probesOf({ log, book, authorities }), READINESS)()
}

test('a gateway whose log is away for an hour is ready and answers reads, which say how old they are', async () => {
  const order = await it.seed()
  for (let waited = 0; waited <= 60; waited += 10) {
    const ready = await it.get('/readyz')
    expect([ready.statusCode, ready.json().degraded]).toEqual([200, ['log_unavailable']])
    const read = await it.get(`/api/market/orders/${order.id}`)
    const actionability = waited < 10 ? 'HANDOFF_READY' : 'REVIEW_ONLY'
    expect([read.statusCode, read.json().actionability]).toEqual([200, actionability])
    expect((await it.get('/api/market/orders')).json().total).toBe(1)
    clock.move(TEN_MINUTES_MS)
  }
  const refused = await it.post('/api/market/orders/import', { psbt: makeAsk().psbt })
  expect(refused.json()).toMatchObject({ statusCode: 503, code: 'STORAGE_UNAVAILABLE' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})
