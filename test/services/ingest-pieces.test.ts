import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import { OWN_TOPICS } from '../../src/adapters/kafka/client/names.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { newSettings } from '../../src/adapters/kafka/topics/settings.ts'
import { topicConfig } from '../../src/adapters/kafka/topics/topics.ts'
import type { IngestState, StoredBlock } from '../../src/ports/log/ingest-store.ts'
import { PIECES_SCHEMA } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { systemClock } from '../support/system-clock.ts'

const NEVER = new AbortController().signal
const ONE_MIB = 2 ** 20

let server: KafkaServer
const directory = temporaryDirectory()
beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(async () => {
  await server?.stop()
  directory.drop()
})

/** Without its witnesses; random bytes compress least. */
const transaction = (bytes: number) => ({
  txid: toTxid(randomBytes(32).toString('hex')),
  bytes: randomBytes(bytes),
})
const blockOf = (height: number, transactions: StoredBlock['transactions']): StoredBlock => ({
  ...{ height, hash: toBlockHash(randomBytes(32).toString('hex')), prevHash: null, time: 1 },
  transactions,
})
const stateOf = (pending: IngestState['pending']): IngestState => ({
  ...{ epoch: 1, tip: null, owed: { touched: '' }, index: null },
  pending,
})
const stepOf = (count: number, bytes: number): IngestState['pending'] => ({
  kind: 'mempool',
  changes: Array.from({ length: count }, (_, sequence) => ({
    ...{ change: 'entered' as const, transaction: transaction(bytes), sequence },
  })),
})

/** By a process with a folder of its own. */
async function asWriter<T>(log: KafkaLog, work: (writer: IngestWriter) => Promise<T>): Promise<T> {
  const store = await LmdbStore.open(`${directory.path}/${randomBytes(8).toString('hex')}`)
  try {
    return await new IngestWriter(log, openIngestCopy(store), systemClock).run(NEVER, work)
  } finally {
    await store.close()
  }
}

/** The last record of each key in `ingest.state`: the bytes of its value. */
async function latest(log: KafkaLog): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const { messages } of log.storedRaw(OWN_TOPICS.ingest, 0, 0, NEVER)) {
    for (const { key, value } of messages) {
      if (value === null) found.delete(`${key}`)
      else found.set(`${key}`, value.length)
    }
  }
  return found
}

async function withLog(run: (opened: OpenedKafkaLog) => Promise<void>): Promise<void> {
  const opened = await openKafkaLog(server, { partitions: 1 })
  try {
    await run(opened)
  } finally {
    await opened.close()
  }
}

test('a topic of records of 1 MiB takes the largest block, step and transaction; a successor has them', () =>
  withLog(async ({ log, prefix }) => {
    const admin = server.client().admin()
    await admin.connect()
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        { type: 2, name: prefix + OWN_TOPICS.ingest, configNames: ['max.message.bytes'] },
      ],
    })
    await admin.disconnect()
    expect(resources[0]?.configEntries[0]?.configValue).toBe(`${ONE_MIB}`)

    const block = blockOf(7, [transaction(999_900), transaction(900_000)])
    const entered = [transaction(999_900)]
    const state = stateOf(stepOf(10, 300_000))
    await asWriter(log, (writer) => writer.save({ state, keep: block, entered }))
    await asWriter(log, async (writer) => {
      expect(await writer.state()).toEqual(state)
      expect(await writer.block(block)).toEqual(block)
      expect(await writer.transactions(entered.map(({ txid }) => txid))).toEqual(entered)
      // By another process than the one that wrote the pieces.
      await writer.save({ state: stateOf(stepOf(3, 300_000)) })
      await writer.save({
        state: stateOf(null),
        forgetBelow: 8,
        left: entered.map((one) => one.txid),
      })
    })
    expect([...(await latest(log)).keys()].sort()).toEqual(['state', 'writer'])
  }))

test('a log that 0.9 made has whole records until its upgrade is finished', async () => {
  const prefix = `${randomBytes(4).toString('hex')}.`
  const wanted = { prefix, network: 'regtest', partitions: 1 } as const
  const admin = server.client().admin()
  await admin.connect()
  const settings = { ...newSettings(wanted), schema: PIECES_SCHEMA - 1 }
  await admin.createTopics({ topics: [topicConfig(OWN_TOPICS.settings, { ...settings, prefix })] })
  const producer = server.client().producer()
  await producer.connect()
  const topic = prefix + OWN_TOPICS.settings
  await producer.send({ topic, messages: [{ key: 'settings', value: JSON.stringify(settings) }] })
  await producer.disconnect()
  const open = () =>
    KafkaLog.open({
      ...wanted,
      brokers: [server.broker],
      clientId: 'market-test',
      clock: systemClock,
      snapshots: () => Promise.reject(new Error('no partition is owned here')),
      onLog: () => {},
    })
  await expect(open()).rejects.toThrow(
    `topic ${prefix}ingest.state has max.message.bytes=${ONE_MIB}: run kafka-configs.sh --alter --entity-type topics --entity-name ${prefix}ingest.state --add-config max.message.bytes=${64 * ONE_MIB}`,
  )
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        ...{ type: 2, name: `${prefix}ingest.state` },
        configEntries: [
          { name: 'cleanup.policy', value: 'compact' },
          { name: 'max.message.bytes', value: `${64 * ONE_MIB}` },
        ],
      },
    ],
  })
  await admin.disconnect()

  const block = blockOf(7, [transaction(900_000), transaction(900_000)])
  const before = await open()
  await asWriter(before, (writer) => writer.save({ state: stateOf(null), keep: block }))
  expect((await latest(before)).get(`block 7 ${block.hash}`)).toBeGreaterThan(3 * ONE_MIB)
  await before.raiseSchema(PIECES_SCHEMA)
  await before.close()

  const after = await open()
  expect(after.settings).toEqual({ ...settings, schema: PIECES_SCHEMA })
  const next = blockOf(8, block.transactions)
  await asWriter(after, async (writer) => {
    expect(await writer.block(block)).toEqual(block)
    await writer.save({ state: stateOf(null), keep: next, forgetBelow: 8 })
    expect(await writer.block(next)).toEqual(next)
  })
  const sizes = await latest(after)
  expect(Math.max(...sizes.values())).toBeLessThan(ONE_MIB)
  expect(sizes.has(`block 7 ${block.hash}`)).toBe(false)
  await after.close()
})
