import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../src/adapters/embedded/log/snapshot-store.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { InboxWorker, PartitionState } from '../../src/ports/log/event-log.ts'
import { LOG_SCHEMA, type SpendRecord } from '../../src/schemas/log.ts'
import type { OutpointText } from '../../src/schemas/scalars.ts'
import { toOutpointText, toTxid } from '../../test/support/ids.ts'
import { idleWorker } from '../../test/support/log/idle-worker.ts'
import { dice } from '../../test/support/orders/order-book.ts'
import { quantile, table } from '../harness/table.ts'
import { liveOrders } from '../lines/books/live-orders.ts'
import { writeLiveSnapshots } from '../lines/books/live-snapshots.ts'

// One actors worker that owns a whole market of LIVE orders: idle ones are snapshots on its disk. A
// spend of a random outpoint loads its order; the peer is the same step of an order already in
// memory. Filling and measuring run in processes of their own: task, directory.

const ORDERS = Number(process.env['BENCH_ORDERS'] ?? 1_000_000)
const PARTITIONS = 16
const WOKEN = 2_000
const WARM_UP = 200

const [task = 'all', directory = ''] = process.argv.slice(2)

interface Filled {
  seconds: number
  bytes: number
}
interface Measured {
  openMs: number
  rssMb: number
  heapMb: number
  asleep: number[]
  awake: number[]
}

function runAll(): void {
  const home = mkdtempSync(join(tmpdir(), 'market-bench-'))
  try {
    const filled = run<Filled>('fill', home)
    const { openMs, rssMb, heapMb, asleep, awake } = run<Measured>('measure', home)
    console.log(
      `one actors worker with ${ORDERS} LIVE orders in ${PARTITIONS} partitions, ${cpus().length} cores, Node ${process.version}\n`,
    )
    const row = (label: string, samples: number[]) => [
      label,
      quantile(samples, 0.5),
      quantile(samples, 0.99),
      Math.max(...samples),
      quantile(samples, 0.5) / quantile(awake, 0.5),
    ]
    console.log(
      table(
        ['a spend meets its order', 'median ms', 'p99 ms', 'max ms', 'ratio'],
        [row('asleep: from its snapshot', asleep), row('awake', awake)],
      ),
    )
    console.log(
      `\ncopies written in ${filled.seconds.toFixed(0)} s, ${Math.round(filled.bytes / ORDERS)} bytes an order on disk;` +
        ` all partitions opened in ${openMs.toFixed(0)} ms; heap ${heapMb} MB, RSS ${rssMb} MB`,
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function run<T>(what: string, home: string): T {
  const path = fileURLToPath(import.meta.url)
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', path, what, home],
    { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 28 },
  )
  if (status !== 0) throw new Error(`${what} ended with ${status}`)
  return JSON.parse(stdout.toString()) as T
}

const report = (result: Filled | Measured): void => {
  process.stdout.write(JSON.stringify(result))
}

async function fill(): Promise<void> {
  const begun = performance.now()
  const store = await LmdbStore.open(directory)
  const copies = new EmbeddedSnapshotStore(store)
  await writeLiveSnapshots(copies, ORDERS, PARTITIONS)
  await store.close()
  const { size } = statSync(join(directory, 'market.mdb'))
  report({ seconds: (performance.now() - begun) / 1_000, bytes: size })
}

async function measure(): Promise<void> {
  const store = await LmdbStore.open(directory)
  const copies = new EmbeddedSnapshotStore(store)
  const begun = performance.now()
  const workers = await Promise.all(
    Array.from({ length: PARTITIONS }, (_, partition) => openWorker(copies, partition)),
  )
  const openMs = performance.now() - begun
  const outpoints = someOutpoints()
  const asleep: number[] = []
  for (const [offset, outpoint] of outpoints.entries()) {
    asleep.push(await spendMs(workers, toOutpointText(outpoint), offset))
  }
  // The orders used last are still in memory.
  const last = outpoints.slice(-WARM_UP)
  const awake: number[] = []
  for (const [at, outpoint] of last.entries()) {
    const offset = outpoints.length + at
    awake.push(await spendMs(workers, toOutpointText(outpoint), offset))
  }
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const mib = (bytes: number) => Math.round(bytes / 2 ** 20)
  report({
    openMs,
    rssMb: mib(rss),
    heapMb: mib(heapUsed),
    // The first ones also load the code.
    asleep: asleep.slice(WARM_UP),
    awake,
  })
  await store.close()
}

async function openWorker(copies: EmbeddedSnapshotStore, partition: number): Promise<InboxWorker> {
  const state: PartitionState = {
    partition,
    snapshots: copies.of(partition),
    lifecycleEnd: () => 1,
  }
  return await openOrderWorker(idleWorker(PARTITIONS))(state)
}

/** Spread over the whole book. */
function someOutpoints(): string[] {
  const step = Math.max(1, Math.floor(ORDERS / WOKEN))
  const outpoints: string[] = []
  let index = 0
  for (const { outpoint } of liveOrders(ORDERS)) {
    if (index % step === 0) outpoints.push(outpoint)
    index += 1
  }
  const roll = dice(2)
  return [...outpoints].map(() => outpoints.splice(roll.below(outpoints.length), 1)[0] ?? '')
}

/** Each by another transaction, so that it is a new spend. */
async function spendMs(
  workers: InboxWorker[],
  outpoint: OutpointText,
  offset: number,
): Promise<number> {
  const partition = partitionOf(outpoint, PARTITIONS)
  const txid = toTxid(offset.toString(16).padStart(64, '0'))
  const value: SpendRecord = {
    schema: LOG_SCHEMA,
    kind: 'spend',
    change: 'seen',
    outpoint,
    spend: { txid, inputIndex: 0, unsignedTxid: txid, pairedOutput: null, block: null },
    at: '2026-01-01T00:00:00.000Z',
  }
  const worker = workers[partition]
  const begun = performance.now()
  const output = await worker?.step([{ partition, offset, value }])
  const took = performance.now() - begun
  if (!output?.snapshots.length) throw new Error(`the spend of ${outpoint} reached no order`)
  worker?.committed()
  return took
}

if (task === 'all') runAll()
else if (task === 'fill') await fill()
else await measure()
