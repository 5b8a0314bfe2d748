import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { openAuditSweep } from '../../src/actors/sweep/audit-sweep.ts'
import { openRenewer } from '../../src/actors/sweep/renewer.ts'
import { openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../src/adapters/embedded/log/snapshot-store.ts'
import { openOrd } from '../../src/adapters/ord/ord.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { InboxWorker, NewRecord } from '../../src/ports/log/event-log.ts'
import type { WatermarkRef } from '../../src/schemas/evidence.ts'
import { LOG_SCHEMA, type PartitionSnapshot, type Watermark } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { toBlockHash } from '../../test/support/ids.ts'
import { idleWorker } from '../../test/support/log/idle-worker.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { systemClock } from '../../test/support/system-clock.ts'
import { watchLoopDelay } from '../harness/loop-delay.ts'
import { table } from '../harness/table.ts'
import { GeneratedChain } from '../rehearsal/chain.ts'
import { heightOf } from '../rehearsal/outputs.ts'
import { Stub } from '../rehearsal/stub.ts'

// One actors worker that owns a market of LIVE orders loses continuity for all of them, and queries
// a node and an index that generate their answers, in a process of their own, through the real
// adapters. Snapshots are on disk, the inbox is in memory. Then the sweep checks some of the same
// orders.

const ORDERS = Number(process.env['BENCH_ORDERS'] ?? 100_000)
const SWEPT = 10_000
const PARTITIONS = 16
const WRITTEN_AT_ONCE = 500
const DAY_S = 86_400
const CHAIN = { height: 20_000, fullBlocks: 0, transactions: 0 }
const VERSION = 'recorded'

const chain = new GeneratedChain(CHAIN)
const position = { logId: 'bench', snapshots: 1, inbox: 1, lifecycleEnd: 1 }

const blockAt = (height: number) => {
  return { height, hash: toBlockHash(chain.at(height)?.hash ?? '') }
}

const watermark = (n: number, lost?: 'all'): Watermark => ({
  schema: LOG_SCHEMA,
  kind: 'watermark',
  epoch: 1,
  n,
  at: new Date().toISOString(),
  covers: true,
  tip: { ...blockAt(CHAIN.height), medianTime: 1 },
  mempoolSequence: 1,
  index: { ...blockAt(CHAIN.height), version: VERSION },
  indexStatus: 'ready',
  touched: '',
  ...(lost && { lost }),
})

const VERIFIED: WatermarkRef = { epoch: 1, n: 0 }

/** The same orders on each call: asks, LIVE, of outputs that hold nothing. */
function* liveOrders(): Generator<OrderRecord> {
  const roll = dice(1)
  for (let index = 0; index < ORDERS; index += 1) {
    const order = orderOf(roll, index)
    const [txid = ''] = order.outpoint.split(':')
    const { inspection } = order.kept
    const orderClass = 'ASK_ANYONECANPAY' as const
    const at = { ...blockAt(CHAIN.height), version: VERSION }
    yield {
      ...order,
      kept: {
        ...order.kept,
        inspection: { ...inspection, orderClass, signatureStatus: 'VALID', reasons: [] },
      },
      side: 'ASK',
      state: 'LIVE',
      proved: true,
      metadataFixed: true,
      assets: [],
      outputBlock: blockAt(heightOf(txid, CHAIN.height)),
      indexProof: {
        status: 'ready',
        at,
        indexed: true,
        inscriptions: [],
        runes: [],
        begunAt: VERIFIED,
      },
      anchor: { tip: blockAt(CHAIN.height), mempoolSequence: 1, index: at, watermark: VERIFIED },
      pending: null,
      spend: null,
      closedAt: null,
    }
  }
}

async function fill(copies: EmbeddedSnapshotStore): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const snapshot: PartitionSnapshot = {
      schema: LOG_SCHEMA,
      kind: 'partition',
      partition,
      seen: VERIFIED,
      watermark: watermark(0),
      continuousSince: VERIFIED,
      lifecycleEnd: 1,
    }
    await copies.apply(partition, [snapshot], position)
  }
  const waiting = new Map<number, OrderRecord[]>()
  const write = (partition: number, orders: OrderRecord[]) =>
    copies.apply(
      partition,
      orders.map((order) => ({ schema: LOG_SCHEMA, kind: 'order', order }) as const),
      position,
    )
  for (const order of liveOrders()) {
    const partition = partitionOf(order.outpoint, PARTITIONS)
    const orders = waiting.get(partition) ?? []
    waiting.set(partition, orders)
    orders.push(order)
    if (orders.length < WRITTEN_AT_ONCE) continue
    waiting.delete(partition)
    await write(partition, orders)
  }
  for (const [partition, orders] of waiting) await write(partition, orders)
}

/** Steps records of one partition in their order, and stores the results. */
class PartitionWorker {
  readonly #partition: number
  readonly #copies: EmbeddedSnapshotStore
  readonly #worker: Promise<InboxWorker>
  #last: Promise<void> = Promise.resolve()
  #offset = 0

  constructor(partition: number, copies: EmbeddedSnapshotStore, worker: Promise<InboxWorker>) {
    this.#partition = partition
    this.#copies = copies
    this.#worker = worker
  }

  take(value: unknown): void {
    this.#last = this.#last.then(async () => {
      const worker = await this.#worker
      const record = { partition: this.#partition, offset: this.#offset++, value }
      const { snapshots, dead } = await worker.step([record])
      if (dead.length > 0) throw new Error(JSON.stringify(dead))
      await this.#copies.apply(this.#partition, snapshots, position)
      worker.committed()
    })
  }

  async isRenewed(): Promise<boolean> {
    await this.#last
    return this.#copies.of(this.#partition).partitionSnapshot()?.renewedUpTo === 'f'.repeat(64)
  }
}

interface Figures {
  ms: number
  cpuMs: number
  longestMs: number
}

async function measured(work: () => Promise<void>): Promise<Figures> {
  const delay = watchLoopDelay()
  delay.read()
  const [begun, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  const { maxMs } = delay.read()
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1_000, longestMs: maxMs }
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'market-bench-'))
  const stub = await Stub.start({
    ...CHAIN,
    mempool: 0,
    perSecond: 0,
    blockEveryMs: 0,
    hasOutputs: true,
  })
  const { rpcUrl, indexUrl } = await stub.state()
  const node = openBitcoind({
    url: rpcUrl,
    credentials: { user: 'user', password: 'password' },
    network: 'mainnet',
    clock: systemClock,
  })
  const index = openOrd({ url: indexUrl })
  const store = await LmdbStore.open(home)
  try {
    const copies = new EmbeddedSnapshotStore(store)
    await fill(copies)
    const workers: PartitionWorker[] = []
    const onFault = (error: unknown) => console.error(error)
    const log = {
      partitions: PARTITIONS,
      append: async (records: readonly NewRecord[]) => {
        for (const { partition, value } of records) workers[partition]?.take(value)
      },
    }
    const clock = systemClock
    const renewer = openRenewer({ node, index, log, clock, onFault })
    const { pace: _, ...idle } = idleWorker(PARTITIONS)
    const open = openOrderWorker({
      ...idle,
      renew: renewer.renew,
      pace: async () => clock.turn(),
    })
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const state = { partition, snapshots: copies.of(partition), lifecycleEnd: () => 1 }
      workers.push(new PartitionWorker(partition, copies, open(state)))
    }
    const renewed = await measured(async () => {
      for (const worker of workers) worker.take(watermark(1, 'all'))
      while (!(await Promise.all(workers.map((worker) => worker.isRenewed()))).every(Boolean))
        await clock.sleep(20)
    })
    await renewer.close()
    const sweep = openAuditSweep({
      node,
      index,
      log,
      clock,
      roundMs: 1,
      graceMs: 1,
      newRequestId: () => 'bench',
      onFault,
    })
    const some: OrderRecord[] = []
    for (const order of liveOrders()) if (some.push(order) === Math.min(SWEPT, ORDERS)) break
    sweep.add(some)
    const swept = await measured(async () => {
      for (let at = 0; at < some.length; at += 500) await sweep.round()
    })
    report(renewed, swept, some.length)
  } finally {
    await node.close()
    await index.close()
    await store.close()
    await stub.end()
    rmSync(home, { recursive: true, force: true })
  }
}

function report(renewed: Figures, swept: Figures, asked: number): void {
  console.log(`${ORDERS} LIVE orders, ${cpus().length} cores, Node ${process.version}\n`)
  const row = (what: string, { ms, cpuMs, longestMs }: Figures, orders: number) => [
    what,
    ms / 1_000,
    orders / (ms / 1_000),
    cpuMs / orders,
    longestMs,
  ]
  console.log(
    table(
      ['', 'seconds', 'orders a second', 'processor, ms an order', 'longest delay, ms'],
      [
        row('continuity lost for all: until it is back', renewed, ORDERS),
        row('the sweep', swept, asked),
      ],
    ),
  )
  const share = ((swept.cpuMs / asked) * 1e7) / (DAY_S * 1_000)
  console.log(
    `\n1,000,000 orders: ${((renewed.ms / ORDERS) * 1_000).toFixed(0)} s until continuity is back;` +
      ` 10,000,000 swept in a day: ${(100 * share).toFixed(1)} % of a core, ${(1e7 / DAY_S).toFixed(0)} a second`,
  )
}

await main()
