import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import { reportedMempool } from '../../src/adapters/kafka/ingest-changelog.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import type { IngestState } from '../../src/ports/log/ingest-store.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { take } from '../contracts/event-log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { openToyWorker, toyId } from '../support/log/toy-worker.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

const PARTITIONS = 2
const NEVER = new AbortController().signal

let server: KafkaServer
beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(() => server.stop())

async function withLog(run: (opened: OpenedKafkaLog) => Promise<void>): Promise<void> {
  const opened = await openKafkaLog(server, { partitions: PARTITIONS })
  try {
    await run(opened)
  } finally {
    await opened.close()
  }
}

const command = (order: number, partition = 0) => ({
  topic: TOPICS.inbox,
  partition,
  key: 'toy',
  value: { order },
})

/** Runs a worker until the inbox is consumed. */
async function consumeAll(log: KafkaLog, records: number): Promise<void> {
  const stop = new AbortController()
  const running = log.processInbox(openToyWorker, stop.signal)
  await waitUntil('the lifecycle has a change of each record', async () => {
    let changes = 0
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      for await (const batch of log.stored(TOPICS.lifecycle, partition, 0)) changes += batch.length
    }
    return changes >= records
  })
  stop.abort()
  await running
}

describe('malformed records', () => {
  test('invalid bytes, too many, or none are dead letters; the partition continues', async () => {
    await withLog(async ({ log, prefix }) => {
      const producer = server.client().producer()
      await producer.connect()
      const values = [Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('{"cut'), null]
      for (const value of values) {
        await producer.send({ topic: prefix + TOPICS.inbox, messages: [{ partition: 0, value }] })
      }
      await producer.disconnect()
      await log.append([command(1)])
      const read = await take(log, TOPICS.inbox, 0, 0, 4)
      expect(read.map(({ value }) => value)).toEqual([
        { unreadable: 'not JSON', begins: '\ufffd\ufffd\u0000' },
        { unreadable: 'not JSON', begins: '{"cut' },
        { unreadable: 'an empty record' },
        { order: 1 },
      ])
    })
  })

  test('the broker accepts none over a megabyte, and one that gets past it is not read', async () => {
    await withLog(async ({ log, prefix }) => {
      // Well-compressed data would get past the broker.
      const large = randomBytes(2 ** 20).toString('base64')
      const record = { ...command(1), value: { large } }
      await expect(log.append([record])).rejects.toThrow(/too large|larger than/i)
      const admin = server.client().admin()
      await admin.connect()
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: 2,
            name: prefix + TOPICS.inbox,
            configEntries: [{ name: 'max.message.bytes', value: String(2 ** 22) }],
          },
        ],
      })
      await admin.disconnect()
      await log.append([record])
      const [read] = await take(log, TOPICS.inbox, 0, 0, 1)
      expect(read?.value).toMatchObject({ unreadable: expect.stringMatching(/^1398\d{3} bytes/) })
    })
  })

  test('a dead letter of a large record fits into its topic', async () => {
    await withLog(async ({ log }) => {
      await log.append([{ ...command(1), value: { large: 'x'.repeat(900_000) } }])
      const stop = new AbortController()
      const running = log.processInbox(
        async () => ({
          step: async (batch) => ({
            lifecycle: [],
            snapshots: [],
            dead: batch.map((record) => ({ record, reason: 'too strange' })),
          }),
          committed: () => {},
          close: async () => {},
        }),
        stop.signal,
      )
      const [letter] = await take(log, TOPICS.dead, 0, 0, 1)
      stop.abort()
      await running
      expect(letter?.value).toMatchObject({ kind: 'dead', reason: 'too strange', offset: 0 })
      expect(JSON.stringify(letter?.value).length).toBeLessThan(100_000)
    })
  })
})

describe('what a new owner continues from', () => {
  test('a group that lost its offsets, and a copy that is gone, repeat nothing', async () => {
    await withLog(async ({ log, reopen, another }) => {
      for (let n = 0; n < 30; n += 1) await log.append([command(n % 5, n % PARTITIONS)])
      await consumeAll(log, 30)
      const again = await reopen()
      const admin = server.client().admin()
      await admin.connect()
      await admin.deleteGroups([again.groupId])
      await admin.disconnect()
      expect(await again.consumed(0)).toBe(0)
      await again.append([command(1, 0), command(1, 1)])
      await consumeAll(again, 32)
      // With copies of its own, which are empty.
      const other = await another()
      await other.append([command(2, 0)])
      await consumeAll(other, 33)
      const changes = await take(other, TOPICS.lifecycle, 0, 0, 17)
      const causes = changes.map(({ value }) => (value as { cause: { offset: number } }).cause)
      expect(new Set(causes.map(({ offset }) => offset)).size).toBe(17)
      expect(causes.map(({ offset }) => offset)).toEqual(
        [...causes.map(({ offset }) => offset)].sort((a, b) => a - b),
      )
    })
  })

  test('a copy of another log is not used', async () => {
    const directory = temporaryDirectory()
    const store = await LmdbStore.open(directory.path)
    try {
      const { EmbeddedSnapshotStore } = await import(
        '../../src/adapters/embedded/log/snapshot-store.ts'
      )
      const snapshots = async () => new EmbeddedSnapshotStore(store)
      for (const orders of [3, 5]) {
        await withLog(async ({ another }) => {
          const log = await another({ snapshots })
          for (let n = 0; n < orders; n += 1) await log.append([command(n)])
          await consumeAll(log, orders)
          const copy = (await snapshots()).of(0)
          expect(copy.order(toyId(0, orders - 1))?.order.seq).toBe(1)
          expect(copy.order(toyId(0, 0))?.order.seq).toBe(1)
        })
      }
    } finally {
      await store.close()
      directory.drop()
    }
  })

  test('records that were deleted before they were consumed are a gap that is reported to the worker', async () => {
    await withLog(async ({ log, prefix, reopen }) => {
      for (let n = 0; n < 6; n += 1) await log.append([command(n)])
      const topic = prefix + TOPICS.inbox
      const admin = server.client().admin()
      await admin.connect()
      await admin.fetchTopicOffsets(topic)
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '4' }] })
      await admin.disconnect()
      const gaps = async (of: KafkaLog): Promise<Record<number, boolean | undefined>> => {
        const found: Record<number, boolean | undefined> = {}
        const stop = new AbortController()
        const running = of.processInbox(async (state) => {
          found[state.partition] = state.hasGap
          return await openToyWorker(state)
        }, stop.signal)
        await waitUntil('both partitions are open', () => Object.keys(found).length === PARTITIONS)
        await waitUntil('the rest is consumed', async () => (await of.consumed(0)) === 6)
        stop.abort()
        await running
        return found
      }
      expect(await gaps(log)).toEqual({ 0: true, 1: false })
      expect(await gaps(await reopen())).toEqual({ 0: false, 1: false })
    })
  })

  test("a partition's snapshot names the exact end of its lifecycle, between control records", async () => {
    await withLog(async ({ log }) => {
      for (let n = 0; n < 9; n += 1) {
        await log.append([command(n)])
        await consumeAll(log, n + 1)
      }
      const changes = await take(log, TOPICS.lifecycle, 0, 0, 9)
      const snapshots = await take(
        log,
        TOPICS.snapshots,
        0,
        0,
        1,
        (value) => (value as { lifecycleEnd?: number }).lifecycleEnd === changes.at(-1)!.offset + 1,
      )
      expect(snapshots).toHaveLength(1)
    })
  })
})

describe('misconfigured topics', () => {
  const refusal = (opened: OpenedKafkaLog, more: object) =>
    opened.another(more).then(
      () => 'opened',
      (error: Error) => `${error.name}: ${error.message}`,
    )

  test('another partition count, network or retention is refused with its fix', async () => {
    await withLog(async (opened) => {
      const { prefix } = opened
      expect(await refusal(opened, { partitions: 3 })).toBe(
        `KafkaRefusedError: the log of ${prefix}market.settings was created with 2 partitions, but 3 are configured: set ORDER_PARTITIONS to 2`,
      )
      expect(await refusal(opened, { network: 'signet' })).toBe(
        `KafkaRefusedError: the log of ${prefix}market.settings was created for regtest, but BITCOIN_NETWORK is signet: set KAFKA_PREFIX to another prefix`,
      )
      const admin = server.client().admin()
      await admin.connect()
      const name = prefix + TOPICS.lifecycle
      const configEntries = [{ name: 'retention.ms', value: '1000000' }]
      await admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name, configEntries }],
      })
      expect(await refusal(opened, {})).toContain(
        `KafkaRefusedError: topic ${name} has retention.ms=1000000`,
      )
      expect(await refusal(opened, {})).toContain(
        `kafka-configs.sh --alter --entity-type topics --entity-name ${name} --add-config`,
      )
      await admin.createPartitions({
        topicPartitions: [{ topic: prefix + TOPICS.inbox, count: 4 }],
      })
      await waitUntil('the broker tells of the new partitions', async () =>
        (await refusal(opened, {})).includes(`topic ${prefix + TOPICS.inbox} has 4 partitions`),
      )
      await admin.disconnect()
    })
  })

  test('topics of another application are refused, and not changed', async () => {
    const admin = server.client().admin()
    await admin.connect()
    await admin.createTopics({ topics: [{ topic: `foreign.${TOPICS.inbox}` }] })
    await withLog(async (opened) => {
      expect(await refusal(opened, { prefix: 'foreign.' })).toBe(
        'KafkaRefusedError: topic foreign.orders.inbox exists without foreign.market.settings: not created by this service; set KAFKA_PREFIX to another prefix, or delete it',
      )
    })
    expect((await admin.listTopics()).filter((name) => name.startsWith('foreign.'))).toEqual([
      'foreign.orders.inbox',
    ])
    await admin.disconnect()
  })

  test('any number of processes may create them at the same time', async () => {
    await withLog(async ({ another }) => {
      const logs = await Promise.all(
        [1, 2, 3].map(() => another({ prefix: 'together.', partitions: PARTITIONS })),
      )
      expect(new Set(logs.map(({ settings }) => settings.id)).size).toBe(1)
    })
  })
})

describe('the single writer of the chain', () => {
  const stateOf = (epoch: number): IngestState => ({
    epoch,
    tip: { height: epoch, hash: toBlockHash('ab'.repeat(32)), prevHash: null },
    pending: {
      kind: 'mempool',
      changes: [{ change: 'entered', transaction: bare(epoch), sequence: 1 }],
    },
    owed: { touched: '' },
    index: null,
  })
  const HOUR_MS = 3_600_000
  const bare = (n: number) => ({
    txid: toTxid(n.toString(16).padStart(64, '0')),
    bytes: Buffer.from([n, 255]),
  })
  const block = (height: number) => ({
    height,
    hash: toBlockHash(height.toString(16).padStart(64, 'f')),
    prevHash: null,
    time: 1,
    transactions: [bare(1)],
  })
  const mempoolOf = async (store: { mempool(): AsyncIterable<string> }) => {
    const txids: string[] = []
    for await (const txid of store.mempool()) txids.push(txid)
    return txids.sort()
  }

  async function withCopies(
    run: (open: (log: KafkaLog) => Promise<IngestWriter>) => Promise<void>,
  ) {
    const directory = temporaryDirectory()
    const stores: LmdbStore[] = []
    try {
      await run(async (log) => {
        const store = await LmdbStore.open(`${directory.path}/${stores.length}`)
        stores.push(store)
        return new IngestWriter(log, openIngestCopy(store), systemClock)
      })
    } finally {
      for (const store of stores) await store.close()
      directory.drop()
    }
  }

  test('a second one takes over with all that the first one knew; the first one can write no more', async () => {
    await withLog(async ({ log, another }) =>
      withCopies(async (open) => {
        const [first, second] = [await open(log), await open(await another())]
        const records = [command(1, 0), command(1, 1)]
        const firstEnded = first.run(NEVER, async (writer) => {
          await writer.save({ state: stateOf(1), keep: block(1), entered: [bare(1), bare(2)] })
          await writer.save({ state: stateOf(2), keep: block(2), left: [bare(1).txid] })
          await writer.save({ state: stateOf(3), forgetBelow: 2, entered: [bare(3)] })
          await writer.append(records)
          const secondEnded = second.run(NEVER, async (next) => {
            expect(await next.state()).toEqual(stateOf(3))
            expect(await next.block(block(1))).toBeNull()
            expect(await next.block(block(2))).toMatchObject({ height: 2 })
            expect(await mempoolOf(next)).toEqual([bare(2).txid, bare(3).txid])
            expect(await next.transactions([bare(3).txid])).toEqual([bare(3)])
            await next.append(records)
            return 'second'
          })
          expect(await secondEnded).toBe('second')
          return writer.append(records)
        })
        await expect(firstEnded).rejects.toThrow(/was taken over by another process/)
        expect(await mempoolOf({ mempool: () => reportedMempool(log) })).toEqual(
          [bare(2).txid, bare(3).txid].sort(),
        )
        // The first one's last writes are lost.
        expect(await take(log, TOPICS.inbox, 0, 0, 2)).toHaveLength(2)
        await delay(300)
        let there = 0
        for await (const batch of log.stored(TOPICS.inbox, 0, 0)) there += batch.length
        expect(there).toBe(2)
      }),
    )
  })

  test('a copy not written for 12 hours is rebuilt: tombstones may be compacted away', async () => {
    const directory = temporaryDirectory()
    const store = await LmdbStore.open(directory.path)
    try {
      await withLog(async ({ log }) => {
        const copy = openIngestCopy(store)
        const begun = Date.now()
        const takeOverAt = (ms: number) =>
          new IngestWriter(log, copy, { ...systemClock, now: () => begun + ms }).run(
            NEVER,
            mempoolOf,
          )
        const writer = new IngestWriter(log, copy, { ...systemClock, now: () => begun })
        await writer.run(NEVER, (one) => one.save({ state: stateOf(1), entered: [bare(1)] }))
        const position = copy.position()
        if (!position) throw new Error('there is no copy')
        // The first one's tombstone was in the log, and has been compacted away since.
        await copy.apply([{ entered: [bare(2)] }], position)
        expect(await takeOverAt(11 * HOUR_MS)).toEqual([bare(1).txid, bare(2).txid])
        expect(await takeOverAt(11 * HOUR_MS + 13 * HOUR_MS)).toEqual([bare(1).txid])
      })
    } finally {
      await store.close()
      directory.drop()
    }
  })

  test('one that failed continues', async () => {
    await withLog(async ({ log }) =>
      withCopies(async (open) => {
        const writer = await open(log)
        await writer.run(NEVER, (one) => one.save({ state: stateOf(1) }))
        expect(await writer.run(NEVER, (one) => one.state())).toEqual(stateOf(1))
        await expect(
          writer.run(NEVER, async (one) => {
            await one.append([command(1)])
            throw new Error('a fault of the follower')
          }),
        ).rejects.toThrow('a fault of the follower')
        expect(await writer.run(NEVER, (one) => one.state())).toEqual(stateOf(1))
      }),
    )
  })
})
