import { describe, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import type { Stored } from '../../src/ports/log/event-log.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type {
  OrderViews,
  RebuildableViews,
  RebuildProgress,
} from '../../src/ports/views/order-views.ts'
import { projectViews } from '../../src/projections/project-views.ts'
import { rebuildViews, type ViewRebuild } from '../../src/projections/rebuild-views.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOrderId } from '../support/ids.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated, outcomeOf, partitionSnapshotOf } from '../support/orders/order-changes.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock as clock } from '../support/system-clock.ts'

export interface OpenedRebuild {
  views: RebuildableViews
  /** Everything that the store holds for views, whatever its name for them. */
  held(): Promise<unknown>
  /** Changes an order behind the projector's back, as a fault of the store would. */
  damage(orderId: string): Promise<void>
  close(): Promise<void>
}

const PARTITIONS = 3
const lifeFrom = (seed: number, versions: number) => {
  const roll = dice(seed)
  const chain = bookOf(1, seed)
  while (chain.length < versions) chain.push(mutated(roll, chain.at(-1)!))
  return lifeOf(chain)
}
/** None is ever hidden: all of them are counted in a list. */
const LIVES = Array.from({ length: 160 }, (_, seed) => lifeFrom(seed + 1, 3))
  .filter(({ changes }) => !JSON.stringify(changes).includes('hiddenAt'))
  .slice(0, 90)
const partitionOfLife = (at: number) => at % PARTITIONS

/** A page of views whose index is being loaded is asked for again, as clients do after a 503. */
async function onceLoaded<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StorageUnavailableError && error.reason === 'loading')) throw error
    }
    await clock.sleep(10)
  }
}

/** What rebuilt views do. `open` gives empty ones, of 3 partitions. */
export function rebuildViewsContract(name: string, open: () => Promise<OpenedRebuild>): void {
  const withAll =
    (run: (all: Awaited<ReturnType<typeof openAll>>) => Promise<void>) => async () => {
      const all = await openAll(await open())
      try {
        await run(all)
      } finally {
        await all.close()
      }
    }

  describe(`RebuildableViews/${name}`, () => {
    test(
      'hold what they held, and nothing of the old ones remains',
      withAll(async ({ views, held, append, folded, rebuild, progress }) => {
        await append(LIVES.map(({ changes }) => changes))
        await folded()
        await views.applyFreshness(1, partitionSnapshot(1))
        await views.apply({
          partition: 0,
          nextOffset: 0,
          records: [outcomeOf('r', toOrderId('id'))],
        })
        const before = await held()
        expect(await rebuild()).toBe(true)
        expect(await held()).toEqual(before)
        expect(await views.outcome('r')).toMatchObject({ orderId: 'id' })
        expect(await views.freshness()).toEqual(new Map([[1, partitionSnapshot(1)]]))
        const folds = progress.filter(({ step }) => step === 'fold')
        expect(folds.at(-1)).toEqual({ step: 'fold', done: 270, all: 270 })
        expect(progress.filter(({ step }) => step === 'remove').at(-1)?.done).toBeGreaterThan(0)
      }),
    )

    test(
      'repair what was damaged, and can be rebuilt repeatedly',
      withAll(async ({ views, held, append, folded, rebuild, damage }) => {
        await append(LIVES.map(({ changes }) => changes))
        await folded()
        const before = await held()
        const { order } = LIVES[7]!
        for (let round = 0; round < 3; round += 1) {
          await damage(order.id)
          expect((await views.order(order.id))?.order).not.toEqual(order)
          expect(await rebuild()).toBe(true)
          expect((await views.order(order.id))?.order).toEqual(order)
          expect(await held()).toEqual(before)
        }
      }),
    )

    test(
      'are rebuilt while they are written and read: no reader sees an order go back',
      withAll(async ({ views, append, folded, rebuild, project }) => {
        const seen = new Map<string, number>()
        const back: string[] = []
        const look = (orders: readonly OrderRecord[]) => {
          for (const { id, seq } of orders) {
            const last = seen.get(id) ?? 0
            if (seq < last) back.push(`${id}: ${last}, then ${seq}`)
            seen.set(id, Math.max(seq, last))
          }
        }
        await append(LIVES.map(({ changes }) => changes.slice(0, 1)))
        await folded()
        const stop = new AbortController()
        const projecting = project(stop.signal)
        const reading = (async () => {
          while (!stop.signal.aborted) {
            const query = { includeWithdrawn: true, sort: 'newest', limit: 100 } as const
            const { orders, total } = await onceLoaded(() => views.page(query))
            if (total !== LIVES.length) back.push(`${total} orders`)
            look(orders.map(({ order }) => order))
            const one = await views.order(LIVES[3]!.order.id)
            look(one ? [one.order] : [])
            await clock.sleep(1)
          }
        })()
        const writing = (async () => {
          for (const at of [1, 2]) {
            for (const [n, { changes }] of LIVES.entries()) {
              await append([changes.slice(at, at + 1)], n)
            }
          }
        })()
        expect(await rebuild()).toBe(true)
        await writing
        expect(await rebuild()).toBe(true)
        await waitUntil('the projector is at the end', async () => {
          const orders = await all(views)
          return orders.every(({ seq }) => seq === 3)
        })
        stop.abort()
        await Promise.all([projecting, reading])
        expect(back).toEqual([])
        expect(seen.size).toBe(LIVES.length)
        const expected = LIVES.map(({ order }) => order).sort((a, b) => (a.id < b.id ? -1 : 1))
        expect(await all(views)).toEqual(expected)
      }),
    )

    test(
      'that are interrupted leave those in use unchanged; the next time it continues',
      withAll(async ({ views, held, append, folded, rebuild }) => {
        await append(LIVES.map(({ changes }) => changes))
        await folded()
        const before = await held()
        const stop = new AbortController()
        const stopped = rebuild({
          signal: stop.signal,
          onProgress: ({ step, done }) => {
            if (step === 'fold' && done >= 50) stop.abort()
          },
        })
        expect(await stopped).toBe(false)
        expect(await held()).toEqual(before)
        expect((await views.order(LIVES[0]!.order.id))?.order).toEqual(LIVES[0]!.order)
        expect(await rebuild()).toBe(true)
        expect(await held()).toEqual(before)
      }),
    )

    test(
      'that cannot be built for lack of space leave nothing behind',
      withAll(async ({ held, append, folded, rebuild, log }) => {
        await append(LIVES.map(({ changes }) => changes))
        await folded()
        const before = await held()
        const broken: ViewRebuild['log'] = {
          partitions: log.partitions,
          end: (...about) => log.end(...about),
          async *read(topic, partition, from, signal) {
            for await (const batch of log.read(topic, partition, from, signal)) {
              yield batch.slice(0, 50)
              throw new StorageUnavailableError('full', 'no room')
            }
          },
        }
        await expect(rebuild({ log: broken })).rejects.toMatchObject({ reason: 'full' })
        expect(await held()).toEqual(before)
        expect(await rebuild()).toBe(true)
      }),
    )

    test(
      'are abandoned by the first when a second one begins; the second one finishes',
      withAll(async ({ views, held, append, folded, rebuild }) => {
        await append(LIVES.map(({ changes }) => changes))
        await folded()
        const before = await held()
        const second: Promise<boolean>[] = []
        const first = rebuild({
          onProgress: ({ step }) => {
            if (step === 'fold' && second.length === 0) second.push(rebuild())
          },
        })
        await expect(first).rejects.toMatchObject({ name: 'StorageUnavailableError' })
        expect(await Promise.all(second)).toEqual([true])
        expect((await views.order(LIVES[0]!.order.id))?.order).toEqual(LIVES[0]!.order)
        await rebuild()
        expect(await held()).toEqual(before)
      }),
    )

    test(
      'are complete although the log ends in a hole, where no record will ever be',
      withAll(async ({ views, append, folded, rebuild, log, progress }) => {
        await append(LIVES.map(({ changes }) => changes))
        await folded()
        const holed: ViewRebuild['log'] = {
          partitions: log.partitions,
          read: (...about) => log.read(...about),
          end: async (...about) => (await log.end(...about)) + 2,
        }
        const time = new ManualClock()
        const rebuilt = rebuild({ log: holed, clock: time })
        await waitUntil('all is folded', async () =>
          progress.some(({ step, done }) => step === 'fold' && done === 270),
        )
        time.advance(5_000)
        expect(await rebuilt).toBe(true)
        expect(await all(views)).toHaveLength(LIVES.length)
        expect(await views.position(0)).toBe(90)
      }),
    )

    test(
      'are complete where the records of a partition come long after those of the others',
      withAll(async ({ views, append, rebuild, log }) => {
        await append(LIVES.map(({ changes }) => changes))
        const time = new ManualClock()
        const began = time.now()
        const slow = delayed(log, async function* (partition, records) {
          if (partition === 2) {
            await waitUntil('partition 0 is read', async () => time.now() - began >= 90 * 2_000)
            await clock.sleep(50)
          }
          for await (const record of records) {
            if (partition === 0) time.advance(2_000)
            yield record
          }
        })
        expect(await rebuild({ log: slow, clock: time })).toBe(true)
        expect(await all(views)).toHaveLength(LIVES.length)
      }),
    )

    test(
      'are complete where the first record comes late',
      withAll(async ({ views, append, rebuild, log }) => {
        await append(LIVES.map(({ changes }) => changes))
        const time = new ManualClock()
        const late = delayed(log, async function* (_partition, records) {
          await clock.sleep(50)
          time.advance(7_000)
          await clock.sleep(50)
          yield* records
        })
        expect(await rebuild({ log: late, clock: time })).toBe(true)
        expect(await all(views)).toHaveLength(LIVES.length)
      }),
    )

    test(
      'are complete where each write takes longer than a silence',
      withAll(async ({ views, append, rebuild, log }) => {
        await append(LIVES.slice(0, 9).map(({ changes }) => changes))
        const time = new ManualClock()
        const single = delayed(log, (_partition, records) => records)
        const slow: ViewRebuild['views'] = {
          beginAgain: async () => {
            const next = await views.beginAgain()
            const apply = next.apply.bind(next)
            next.apply = async (batch) => {
              time.advance(31_000)
              await clock.sleep(20)
              await apply(batch)
            }
            return next
          },
        }
        expect(await rebuild({ views: slow, log: single, clock: time })).toBe(true)
        expect((await all(views)).map(({ seq }) => seq)).toEqual(Array(9).fill(3))
      }),
    )

    test(
      'of a log that is empty are empty',
      withAll(async ({ views, rebuild }) => {
        expect(await rebuild()).toBe(true)
        expect(await all(views)).toEqual([])
      }),
    )
  })
}

/** A log whose records come one by one, when the partition's reader yields them. */
const delayed = (
  log: ViewRebuild['log'],
  reader: (
    partition: number,
    records: AsyncIterable<Stored<unknown>>,
  ) => AsyncIterable<Stored<unknown>>,
): ViewRebuild['log'] => ({
  partitions: log.partitions,
  end: (...about) => log.end(...about),
  async *read(topic, partition, from, signal) {
    const batches = log.read(topic, partition, from, signal)
    async function* records() {
      for await (const batch of batches) yield* batch
    }
    for await (const record of reader(partition, records())) yield [record]
  },
})

function partitionSnapshot(partition: number) {
  const { watermark, continuousSince } = partitionSnapshotOf(partition, 1, 0)
  if (!watermark) throw new Error('a watermark is there')
  return { watermark, continuousSince }
}

async function all(views: OrderViews): Promise<OrderRecord[]> {
  const orders: OrderRecord[] = []
  for await (const order of views.all()) orders.push(order)
  return orders
}

/** The views with a log, and operations on both. */
async function openAll(opened: OpenedRebuild) {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
  const progress: RebuildProgress[] = []
  const { views } = opened
  const project = (signal: AbortSignal) => projectViews({ log, views, clock }, signal)
  return {
    ...opened,
    log,
    progress,
    project,
    /** Changes of orders, each to the log of its partition. */
    append: (lives: readonly (readonly object[])[], from = 0) =>
      log.append(
        lives.flatMap((changes, at) =>
          changes.map((value) => ({
            topic: TOPICS.lifecycle,
            partition: partitionOfLife(from + at),
            key: 'k',
            value,
          })),
        ),
      ),
    /** Folds all that is in the log, and ends. */
    folded: async () => {
      const stop = new AbortController()
      const projecting = project(stop.signal)
      await waitUntil('all is folded', async () => {
        for (let partition = 0; partition < PARTITIONS; partition += 1) {
          const end = await log.end(TOPICS.lifecycle, partition)
          if ((await views.position(partition)) < end) return false
        }
        return true
      })
      stop.abort()
      await projecting
    },
    rebuild: ({
      signal = new AbortController().signal,
      ...other
    }: Partial<ViewRebuild> & { signal?: AbortSignal } = {}) => {
      const onProgress = (one: RebuildProgress) => void progress.push(one)
      return rebuildViews({ log, views, clock, onProgress, ...other }, signal)
    },
    close: async () => {
      await opened.close()
      await store.close()
      drop()
    },
  }
}
