import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActor, setup } from 'xstate'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../src/adapters/embedded/log/snapshot-store.ts'
import { collectGarbage } from '../../test/support/collect-garbage.ts'
import { idleWorker } from '../../test/support/log/idle-worker.ts'
import { compare, type Line } from '../harness/line.ts'
import { liveOrders } from './books/live-orders.ts'
import { writeLiveSnapshots } from './books/live-snapshots.ts'

const ORDERS = 100_000
const QUICK_ORDERS = 4_000
const PARTITIONS = 16
const ON_DISK = 'bytes of its snapshot on disk, mapped when it is stepped'

/** The smallest order that is an actor: where it is offered, and at what price. */
const machine = setup({
  types: {
    context: {} as { outpoint: string; priceSats: string },
    input: {} as { outpoint: string; priceSats: string },
  },
}).createMachine({
  initial: 'LIVE',
  context: ({ input }) => input,
  states: { LIVE: { on: { SPEND: 'SETTLED' } }, SETTLED: { type: 'final' } },
})

export const line: Line = {
  number: 7,
  name: 'idle-memory',
  work: 'memory of an idle live order on an actors worker, which can step it at once',
  peer: 'one started XState actor each, with an outpoint and a price',
  run: async ({ isQuick, progress }) => {
    const orders = isQuick ? QUICK_ORDERS : ORDERS
    progress(`writing ${orders} snapshots`)
    const directory = mkdtempSync(join(tmpdir(), 'market-bench-'))
    try {
      await fill(directory, orders)
      progress('opening them')
      return [
        await compare(
          {
            name: '',
            sizes: `${orders} orders in ${PARTITIONS} partitions`,
            unit: 'bytes of heap and buffers an order',
            ratio: 'ours/peer',
            target: { atMost: 1 / 6 },
            beside: { [ON_DISK]: { target: null, guard: null } },
            rounds: 1,
          },
          () => workersOf(directory, orders),
          () => actorsOf(orders),
        ),
      ]
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
}

async function fill(directory: string, orders: number): Promise<void> {
  const store = await LmdbStore.open(directory)
  const copies = new EmbeddedSnapshotStore(store)
  await writeLiveSnapshots(copies, orders, PARTITIONS)
  await store.close()
}

async function workersOf(directory: string, orders: number) {
  const before = heldBytes()
  const store = await LmdbStore.open(directory)
  const copies = new EmbeddedSnapshotStore(store)
  const workers = []
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const snapshots = copies.of(partition)
    const state = { partition, snapshots, lifecycleEnd: () => 1 }
    workers.push(await openOrderWorker(idleWorker(PARTITIONS))(state))
  }
  const held = heldBytes() - before
  if (workers.length !== PARTITIONS) throw new Error('a worker is missing')
  await store.close()
  const { size } = statSync(join(directory, 'market.mdb'))
  return { figure: held / orders, cpuUs: null, beside: { [ON_DISK]: size / orders } }
}

function actorsOf(orders: number) {
  const before = heldBytes()
  const actors = []
  for (const { outpoint, kept } of liveOrders(orders)) {
    const input = { outpoint, priceSats: kept.offer.payouts[0]?.valueSats ?? '0' }
    actors.push(createActor(machine, { input }).start())
  }
  const held = heldBytes() - before
  for (const actor of actors) actor.stop()
  return { figure: held / orders, cpuUs: null }
}

/** Of this process, without memory-mapped files. */
function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
