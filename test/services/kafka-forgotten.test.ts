import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import {
  ingestTransactionsOf,
  orderTransactionsOf,
  TRANSACTIONAL_IDS,
} from '../../src/adapters/kafka/client/names.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import type { IngestState } from '../../src/ports/log/ingest-store.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { take } from '../contracts/event-log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { openToyWorker } from '../support/log/toy-worker.ts'
import { FORGETFUL, KafkaServer, QUICK_GROUPS } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

// A broker that forgets a transactional id that was idle for 2 s; by its stock settings after a week.

const PARTITIONS = 2
const IDLE_MS = 2_000

let server: KafkaServer
let opened: OpenedKafkaLog
/** What a partition reported before it was opened again. */
let failures: string[]
beforeAll(async () => {
  const expiration = { 'transactional.id.expiration.ms': String(IDLE_MS) }
  server = await KafkaServer.start({ ...QUICK_GROUPS, ...FORGETFUL, ...expiration })
})
afterAll(() => server?.stop())
beforeEach(async () => {
  failures = []
  opened = await openKafkaLog(server, {
    partitions: PARTITIONS,
    onFailure: ({ error }) => failures.push((error as Error).message),
  })
})
afterEach(() => opened.close())

const command = (order: number, partition: number) => ({
  topic: TOPICS.inbox,
  partition,
  key: 'toy',
  value: { order },
})

const forgets = (id: string) =>
  waitUntil(
    `the broker forgets ${id}`,
    async () => !(await server.transactionalIds()).some((one) => one.startsWith(id)),
  )

test('an append to several partitions is written once, and not refused', async () => {
  const { log, prefix } = opened
  await log.append([command(0, 0), command(0, 1)])
  await forgets(prefix + TRANSACTIONAL_IDS.appends.name)
  await log.append([command(1, 0), command(1, 1)])
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const read = await take(log, TOPICS.inbox, partition, 0, 2)
    expect(read.map(({ value }) => value)).toEqual([{ order: 0 }, { order: 1 }])
  }
})

test('a partition is opened again, says why in one line, and takes each record once', async () => {
  const { log, prefix } = opened
  const stop = new AbortController()
  const running = log.processInbox(openToyWorker, stop.signal)
  for (let round = 0; round < 2; round += 1) {
    await log.append([command(round, 0)])
    await waitUntil('it is taken', async () => (await log.consumed(0)) === round + 1)
    if (round === 0) await forgets(orderTransactionsOf(prefix, 0))
  }
  stop.abort()
  await running
  const causes = (await take(log, TOPICS.lifecycle, 0, 0, 2)).map(
    ({ value }) => (value as { cause: { offset: number } }).cause.offset,
  )
  expect(causes).toEqual([0, 1])
  const line = `the brokers no longer know this producer of ${prefix}market-orders-0: it was idle for their transactional.id.expiration.ms, they lost it, or another process took its id after that`
  // Once, where opening it again takes less than the broker waits.
  expect([...new Set(failures)]).toEqual([line])
})

test('ingest takes its id again, and continues from what it had written', async () => {
  const { log, prefix } = opened
  const directory = temporaryDirectory()
  const store = await LmdbStore.open(directory.path)
  const ingest = new IngestWriter(log, openIngestCopy(store), systemClock)
  const never = new AbortController().signal
  const state = (epoch: number): IngestState => ({
    ...{ epoch, tip: null, pending: null, owed: { touched: '' }, index: null },
  })
  try {
    const first = ingest.run(never, async (writer) => {
      await writer.save({ state: state(1) })
      await forgets(ingestTransactionsOf(prefix))
      await writer.save({ state: state(2) })
    })
    await expect(first).rejects.toThrow(`no longer know this producer of ${prefix}market-ingest`)
    await ingest.run(never, async (writer) => {
      expect(await writer.state()).toEqual(state(1))
      await writer.save({ state: state(2) })
      expect(await writer.state()).toEqual(state(2))
    })
  } finally {
    await store.close()
    directory.drop()
  }
})
