import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../../../src/adapters/embedded/log/snapshot-store.ts'
import type { SnapshotPosition } from '../../../../src/ports/log/snapshot-store.ts'
import { LOG_SCHEMA, type SnapshotRecord } from '../../../../src/schemas/log.ts'
import type { OutpointText } from '../../../../src/schemas/scalars.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { dice, orderOf } from '../../../support/orders/order-book.ts'

const NEVER = new AbortController().signal
const ORDERS = 8
const PARTITION = 3
const POSITION: SnapshotPosition = { logId: 'log', snapshots: 1, inbox: 2, lifecycleEnd: 3 }
const FIRST = Array.from({ length: ORDERS }, (_, index) => orderOf(dice(1), index))

let directory: ReturnType<typeof temporaryDirectory>
let store: LmdbStore
beforeEach(async () => {
  directory = temporaryDirectory()
  store = await LmdbStore.open(directory.path)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await store.close()
  directory.drop()
})

/** One of the orders, in some state of its life. */
const snapshotOf = ([index, seed]: readonly [number, number]): SnapshotRecord => {
  const { id, outpoint } = FIRST[index]!
  const order = { ...orderOf(dice(seed), index), id, outpoint }
  return { schema: LOG_SCHEMA, kind: 'order', order }
}

/** The last snapshot of each order, in the order of ids, as windows of a compacted topic have them. */
const windowOf = (drawn: readonly (readonly [number, number])[]): SnapshotRecord[] => {
  const last = new Map(drawn.map((each) => [FIRST[each[0]]!.id, snapshotOf(each)]))
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, snapshot]) => snapshot)
}

function* inParts(snapshots: readonly SnapshotRecord[]): Generator<SnapshotRecord[]> {
  for (let at = 0; at < snapshots.length; at += 2) yield snapshots.slice(at, at + 2)
}

/** What pages of two have, each output once. */
function inPages(read: (after: OutpointText | null, limit: number) => readonly OutpointText[]) {
  const found: OutpointText[] = []
  for (let after: OutpointText | null = null; ; after = found.at(-1) ?? null) {
    const page = read(after, 2)
    if (page.length === 0) return [...new Set(found)]
    found.push(...page)
  }
}

/** Everything that can be found. */
function contents(copies: EmbeddedSnapshotStore) {
  const held = copies.of(PARTITION)
  const heights = [0, 799_999, 850_000, 2 ** 31]
  return {
    orders: FIRST.map(({ id }) => held.order(id)),
    offering: FIRST.map(({ outpoint }) => [...held.ordersAt(outpoint)].sort()),
    watched: inPages((after, limit) => held.watched(after, limit)),
    unsettled: [...held.unsettled()].sort(),
    above: heights.map((height) => [...held.above(height)].sort()),
    live: held.live(null, ORDERS),
    others: held.others(null, ORDERS),
  }
}

const drawnOrder = fc.tuple(fc.nat(ORDERS - 1), fc.nat(1_000))
const drawnWindows = fc.array(fc.array(drawnOrder, { minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 3,
})

test('a restore finds what applying the same finds, wherever it was interrupted and repeated', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(drawnWindows, fc.nat(8), async (windows, writes) => {
      run += 1
      const plain = await LmdbStore.open(`${directory.path}/${run}a`)
      const database = await LmdbStore.open(`${directory.path}/${run}b`)
      const applied = new EmbeddedSnapshotStore(plain)
      const restored = new EmbeddedSnapshotStore(database)
      const interrupted = new Error('the process ended')
      let left = writes
      const write = database.writeGrouped.bind(database)
      vi.spyOn(database, 'writeGrouped').mockImplementation(async (action) => {
        if (left-- === 0) throw interrupted
        return await write(action)
      })
      for (const window of windows.map(windowOf)) {
        await applied.apply(PARTITION, window, POSITION)
        await restored
          .restore(PARTITION, inParts(window), NEVER)
          .catch(() => restored.restore(PARTITION, inParts(window), NEVER))
        await restored.apply(PARTITION, [], POSITION).catch(() => {})
      }
      expect(contents(restored)).toEqual(contents(applied))
      await Promise.all([plain.close(), database.close()])
    }),
    { numRuns: 40 },
  )
}, 60_000)

test('a clearing that was interrupted at any write is seen, and made again', async () => {
  const write = store.writeGrouped.bind(store)
  const copies = new EmbeddedSnapshotStore(store)
  const snapshots = windowOf(FIRST.map((_, index) => [index, 1] as const))
  for (let writes = 0; writes < 3; writes += 1) {
    await copies.apply(PARTITION, snapshots, POSITION)
    let left = writes
    vi.spyOn(store, 'writeGrouped').mockImplementation(async (action) => {
      if (left-- === 0) throw new Error('the process ended')
      return await write(action)
    })
    await expect(copies.clear(PARTITION)).rejects.toThrow('the process ended')
    vi.restoreAllMocks()
    expect(copies.position(PARTITION)).toMatchObject({ logId: writes === 0 ? 'log' : '' })
    await copies.clear(PARTITION)
    expect(copies.position(PARTITION)).toBeNull()
    expect(contents(copies).orders.filter((order) => order !== undefined)).toEqual([])
  }
})
