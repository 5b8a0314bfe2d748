import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Question } from '../../src/actors/events/question.ts'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import {
  type InboxRecord,
  LifecycleRecord,
  LOG_SCHEMA,
  type SnapshotRecord,
  TOPICS,
} from '../../src/schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../src/schemas/order-record.ts'
import type { OutpointText } from '../../src/schemas/scalars.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOutpointText } from '../support/ids.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { watermark } from '../support/log/watermarks.ts'
import { answerTo, importOf, spendNews, WorkerHost } from '../support/log/worker-host.ts'
import {
  askClaim,
  evidenceOf,
  hash,
  nodeSays,
  OUTPUT_BLOCK,
  signatureOf,
  spendBy,
} from '../support/orders/evidence.ts'
import { marketOf } from '../support/orders/life.ts'
import { standingProofs } from '../support/orders/withdrawals.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { systemClock } from '../support/system-clock.ts'

let server: KafkaServer
beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(() => server.stop())

const inbox = (...values: InboxRecord[]): NewRecord[] =>
  values.map((value) => ({ topic: TOPICS.inbox, partition: 0, key: '', value }))

/** About as large as the inspection lets a wrapper be. */
const FAT = 'A'.repeat(100_000)
const fat = (name: string, outpoint?: OutpointText): OfferClaim => ({
  ...askClaim({ wrapper: name, ...(outpoint ? { offer: { outpoint } } : {}) }),
  artifact: FAT,
})
const outpointOf = (name: string) => toOutpointText(`${hash(name)}:0`)

/**
 * One partition of a market on the broker, as its order actors run it; every signature is valid.
 */
class Book {
  readonly log: KafkaLog
  readonly failures: unknown[]
  /** Whose questions are answered. */
  answers: (question: Question) => boolean = () => true
  readonly states = new Map<string, string>()
  readonly outcomes = new Map<string, string>()
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  #told: () => void = () => {}

  constructor(log: KafkaLog, failures: unknown[]) {
    this.log = log
    this.failures = failures
    const open = openOrderWorker({
      network: 'regtest',
      partitions: 1,
      marketOf,
      proofs: standingProofs,
      ask: (question) => void this.#answer(question),
      renew: () => {},
      sweep: () => {},
      onDisagreement: () => {},
      onFault: (error) => failures.push(error),
      pace: async () => {},
    })
    this.#running = Promise.all([log.processInbox(open, this.#stop.signal), this.#read()])
  }

  /** Resolves when a record makes this true. */
  async until(is: () => boolean): Promise<void> {
    while (!is()) {
      await new Promise<void>((resolve) => {
        this.#told = resolve
      })
    }
  }

  /** A seller lists in this partition, and is LIVE. */
  async takesAnAsk(): Promise<void> {
    const id = hash('honest order')
    const claim = askClaim({ wrapper: 'honest', offer: { outpoint: outpointOf('honest') } })
    await this.log.append(inbox(importOf(claim, 'honest', id)))
    await this.until(() => this.states.get(id) === 'LIVE')
    expect(this.failures).toEqual([])
    expect(await this.log.end(TOPICS.dead, 0)).toBe(0)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #answer(question: Question): Promise<void> {
    if (!this.answers(question)) return
    const signatures = question.claims.map((claim) => signatureOf(claim))
    const evidence = evidenceOf({ node: nodeSays({ signatures }) })
    await this.log.append(inbox(answerTo(question, evidence)))
  }

  async #read(): Promise<void> {
    for await (const batch of this.log.read(TOPICS.lifecycle, 0, 0, this.#stop.signal)) {
      for (const { value } of batch) {
        const record = LifecycleRecord.parse(value)
        if (record.kind !== 'outcome') this.states.set(record.orderId, record.toState)
        else this.outcomes.set(record.requestId, record.outcome.status)
      }
      this.#told()
    }
  }
}

async function withBook(
  run: (book: Book) => Promise<void>,
  before: (log: KafkaLog) => Promise<void> = async () => {},
): Promise<void> {
  const failures: unknown[] = []
  const opened = await openKafkaLog(server, {
    partitions: 1,
    onFailure: ({ error }) => failures.push(error),
  })
  await before(opened.log)
  const book = new Book(opened.log, failures)
  try {
    await run(book)
  } finally {
    await book.close()
    await opened.close()
  }
}

describe('a partition takes an ask after', () => {
  test('a spend of an output with 64 orders, each of the largest size', async () => {
    await withBook(async (book) => {
      const ids = Array.from({ length: 64 }, (_, n) => hash(`order ${n}`))
      await book.log.append(inbox(watermark(0)))
      // Sixteen may wait for their verdict at an output.
      for (let at = 0; at < ids.length; at += 16) {
        const some = ids.slice(at, at + 16)
        await book.log.append(inbox(...some.map((id) => importOf(fat(id), id, id))))
        await book.until(() => some.every((id) => book.states.get(id) === 'LIVE'))
      }
      const thief = spendBy('thief', { block: null, pairedOutput: null })
      await book.log.append(inbox(spendNews('seen', thief)))
      await book.until(() => ids.every((id) => book.states.get(id) === 'MEMPOOL_CONFLICTED'))
      await book.takesAnAsk()
    })
  })

  test('large wrappers of one order that cannot be judged yet', async () => {
    await withBook(async (book) => {
      book.answers = ({ orderId }) => orderId === hash('honest order')
      const names = Array.from({ length: 9 }, (_, n) => `wrapper ${n}`)
      const imports = names.map((name) => importOf(fat(name), name, hash('order')))
      await book.log.append(inbox(watermark(0), ...imports))
      await book.until(() => book.outcomes.size === names.length - 2)
      expect(new Set(book.outcomes.values())).toEqual(new Set(['refused']))
      await book.takesAnAsk()
    })
  })

  test('large imports in one step', async () => {
    await withBook(async (book) => {
      const names = Array.from({ length: 60 }, (_, n) => `seller ${n}`)
      const imports = names.map((name) =>
        importOf(fat(name, outpointOf(name)), name, hash(`order of ${name}`)),
      )
      await book.log.append(inbox(watermark(0), ...imports))
      await book.until(() => names.every((name) => book.outcomes.get(name) === 'done'))
      await book.takesAnAsk()
    })
  })

  test('spends with the longest possible paired outputs, in one append of ingest', async () => {
    await withBook(async (book) => {
      const directory = temporaryDirectory()
      const store = await LmdbStore.open(directory.path)
      const spends = Array.from({ length: 500 }, (_, n) => {
        const pairedOutput = { valueSats: '0', scriptHex: `6a${'51'.repeat(9_999)}` }
        return spendNews(
          'seen',
          spendBy(`spender ${n}`, { block: null, pairedOutput }),
          outpointOf(`spent ${n}`),
        )
      })
      const writer = new IngestWriter(book.log, openIngestCopy(store), systemClock)
      await writer.run(new AbortController().signal, async (ingest) => {
        await ingest.append(inbox(watermark(0), ...spends))
      })
      await book.takesAnAsk()
      expect(await book.log.consumed(0)).toBeGreaterThan(500)
      await store.close()
      directory.drop()
    })
  })

  test('the records of a block of mainnet, in three transactions', async () => {
    const partitions = 16
    const opened = await openKafkaLog(server, { partitions })
    const directory = temporaryDirectory()
    const store = await LmdbStore.open(directory.path)
    const writer = new IngestWriter(opened.log, openIngestCopy(store), systemClock)
    const spends = inbox(
      ...Array.from({ length: 28_000 }, (_, n) =>
        spendNews('confirmed', spendBy(`spender ${n}`), outpointOf(`spent ${n}`)),
      ),
    ).map((record, n) => ({ ...record, partition: n % partitions }))
    await writer.run(new AbortController().signal, (ingest) => ingest.appendMany(spends))
    for (let partition = 0; partition < partitions; partition += 1) {
      const sent = spends.filter((record) => record.partition === partition)
      const written: unknown[] = []
      for await (const batch of opened.log.stored(TOPICS.inbox, partition, 0))
        written.push(...batch.map(({ value }) => value))
      expect(written).toEqual(sent.map(({ value }) => value))
      // Each transaction ends in a marker, which has an offset.
      expect((await opened.log.end(TOPICS.inbox, partition)) - sent.length).toBe(3)
    }
    await store.close()
    directory.drop()
    await opened.close()
  })

  test('a reorg below 20,000 of its orders', async () => {
    const count = 20_000
    const snapshots = await liveOrders(count)
    await withBook(
      async (book) => {
        let asked = 0
        book.answers = ({ orderId }) => {
          const isHonest = orderId === hash('honest order')
          if (!isHonest) asked += 1
          return isHonest
        }
        const forkHeight = OUTPUT_BLOCK.height - 1
        await book.log.append(inbox(watermark(1, { forkHeight })))
        await book.takesAnAsk()
        expect(asked).toBe(count)
      },
      async (log) => {
        for (let from = 0; from < snapshots.length; from += 2_000) {
          await log.append(snapshots.slice(from, from + 2_000))
        }
      },
    )
  })
})

/** Snapshots of a partition with this many orders, from which a new owner continues. */
async function liveOrders(count: number): Promise<NewRecord[]> {
  const host = new WorkerHost()
  await host.tell([watermark(0), importOf(askClaim(), 'import')])
  await host.answerAll(() => evidenceOf())
  const made = host.order()
  const orders = Array.from({ length: count }, (_, n): OrderRecord => {
    const outpoint = outpointOf(`output ${n}`)
    return { ...made, id: hash(`order ${n}`), outpoint }
  })
  const snapshots: SnapshotRecord[] = [
    ...orders.map((order) => ({ schema: LOG_SCHEMA, kind: 'order', order }) as const),
    ...(host.partition ? [host.partition] : []),
  ]
  return snapshots.map((value) => ({
    topic: TOPICS.snapshots,
    partition: 0,
    key: value.kind === 'order' ? value.order.id : 'partition 0',
    value,
  }))
}
