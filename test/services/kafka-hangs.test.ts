import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import type { EventLog } from '../../src/ports/log/event-log.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { listingReadiness } from '../../src/streams/readiness/listing-readiness.ts'
import { writableStorage } from '../../src/streams/readiness/writable-storage.ts'
import { indexWith, nodeWith } from '../support/chain/scripted-authorities.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'

// conformance A3: a broker that stays silent, and keeps its connections open.

let server: KafkaServer
let opened: OpenedKafkaLog
let it: TestApp

beforeAll(async () => {
  server = await KafkaServer.start()
  opened = await openKafkaLog(server, { partitions: 2 })
})
afterAll(async () => {
  await opened.close()
  await server.stop()
})

beforeEach(async () => {
  const log: EventLog = opened.log
  const views = { probe: async () => {} }
  it = await openTestApp({
    settings: { verdictWaitMs: 3_000, nodeConfigured: true, indexConfigured: true },
    ports: {
      log,
      readiness: listingReadiness({
        node: nodeWith(),
        index: indexWith(),
        storage: writableStorage({ log, views, clock: systemClock, logMs: 2_000 }),
        clock: systemClock,
        maxLagBlocks: 2,
        timeoutMs: 5_000,
        cacheForMs: 0,
      }),
    },
  })
})
afterEach(async () => {
  server.kill('SIGCONT')
  await it.close()
})

const health = async () => (await it.get('/api/market/health')).json()
const imported = () => it.post('/api/market/orders/import', { psbt: makeAsk().psbt })
const ends = () => Promise.all([0, 1].map((partition) => opened.log.end(TOPICS.inbox, partition)))

test('while the broker hangs health says that nothing can be written, and an import is 503', async () => {
  await waitUntil('storage is writable', async () => (await health()).storageWritable)
  const before = await ends()
  server.kill('SIGSTOP')
  expect(await health()).toMatchObject({
    status: 'degraded',
    storageWritable: false,
    readyForBitcoinListings: false,
    listingReadiness: { ready: false, reason: 'storage_unavailable' },
  })
  const refused = await imported()
  expect(refused.json()).toMatchObject({ statusCode: 503, code: 'STORAGE_UNAVAILABLE' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

  server.kill('SIGCONT')
  await waitUntil('storage is writable again', async () => (await health()).storageWritable)
  // What was requested while it hung may still be stored: never twice.
  const taken = (await ends()).reduce((sum, end, at) => sum + end - (before[at] ?? 0), 0)
  expect(taken).toBeLessThanOrEqual(1)
})
