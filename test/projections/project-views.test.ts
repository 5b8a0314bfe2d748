import { expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { EmbeddedViews } from '../../src/adapters/embedded/views/views.ts'
import { type ViewBatch, ViewGapError } from '../../src/ports/views/order-views.ts'
import { projectViews } from '../../src/projections/project-views.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated, partitionSnapshotOf } from '../support/orders/order-changes.ts'
import { systemClock as clock } from '../support/system-clock.ts'

interface World {
  log: EmbeddedLog
  views: EmbeddedViews
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: 1, clock })
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock })
  try {
    await run({ log, views })
  } finally {
    await store.close()
    drop()
  }
}

async function whileProjecting(world: World, run: () => Promise<void>) {
  const stop = new AbortController()
  const running = projectViews({ ...world, clock }, stop.signal)
  await run()
  stop.abort()
  await running
}

const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await clock.sleep(2)
}

const append = (log: EmbeddedLog, topic: 'lifecycle' | 'snapshots', values: readonly object[]) =>
  log.append(values.map((value) => ({ topic: TOPICS[topic], partition: 0, key: 'k', value })))

const someLife = () => {
  const [order] = bookOf(1, 21)
  return lifeOf([order!, mutated(dice(1), order!), mutated(dice(2), order!)])
}

test('a watermark is shown only after the view has folded what preceded it', () =>
  inWorld(async (world) => {
    const { log, views } = world
    const life = someLife()
    await append(log, 'lifecycle', life.changes.slice(0, 2))
    await append(log, 'snapshots', [partitionSnapshotOf(0, 1, 2), partitionSnapshotOf(0, 2, 3)])
    const shown = async () => (await views.freshness()).get(0)?.watermark.n ?? null
    await whileProjecting(world, async () => {
      await until(async () => (await views.position(0)) === 2)
      // The latest snapshot of the key waits for a change that is not there yet.
      await clock.sleep(30)
      expect(await shown()).toBeNull()
      await append(log, 'lifecycle', life.changes.slice(2))
      await until(async () => (await shown()) === 2)
      expect((await views.order(life.order.id))?.order).toEqual(life.order)
    })
  }))

test('the freshness of the last run is available at once after a restart', () =>
  inWorld(async (world) => {
    const { log, views } = world
    await append(log, 'snapshots', [partitionSnapshotOf(0, 5, 0)])
    await whileProjecting(world, () => until(async () => (await views.freshness()).size === 1))
    expect((await views.freshness()).get(0)?.continuousSince).toEqual({ epoch: 1, n: 0 })
  }))

test('views that lost an order are filled again from the start of the log', () =>
  inWorld(async (world) => {
    const { log, views } = world
    const life = someLife()
    await append(log, 'lifecycle', life.changes)
    let gaps = 0
    // A store that has kept its position and lost the order.
    const forgetful = {
      apply: (batch: ViewBatch) => views.apply(batch),
      applyFreshness: () => Promise.resolve(),
      position: () => Promise.resolve(2),
    }
    const stop = new AbortController()
    const onFailure = ({ error }: { error: unknown }) => {
      if (error instanceof ViewGapError) gaps += 1
    }
    const running = projectViews({ log, views: forgetful, clock, onFailure }, stop.signal)
    await until(async () => (await views.order(life.order.id))?.order.seq === 3)
    stop.abort()
    await running
    expect(gaps).toBe(1)
    expect((await views.order(life.order.id))?.order).toEqual(life.order)
  }))

test('a refill that fails in its middle is made again', () =>
  inWorld(async ({ log, views }) => {
    const life = someLife()
    await append(log, 'lifecycle', life.changes)
    let applied = 0
    const forgetful = {
      apply: async (batch: ViewBatch) => {
        applied += 1
        if (applied === 2) throw new Error('away')
        await views.apply(batch)
      },
      applyFreshness: () => Promise.resolve(),
      position: () => Promise.resolve(2),
    }
    const stop = new AbortController()
    const failures: unknown[] = []
    const onFailure = ({ error }: { error: unknown }) => failures.push(error)
    const running = projectViews({ log, views: forgetful, clock, onFailure }, stop.signal)
    await until(async () => (await views.order(life.order.id))?.order.seq === 3)
    stop.abort()
    await running
    expect(failures).toEqual([expect.any(ViewGapError), new Error('away')])
  }))

test('views that have followed more than the log has are refused, also once the log is longer', () =>
  inWorld(async ({ log, views }) => {
    const life = someLife()
    await append(log, 'lifecycle', life.changes.slice(0, 1))
    await views.apply({ partition: 0, nextOffset: 2, records: [] })
    const failures: string[] = []
    const onFailure = ({ error }: { error: unknown }) => failures.push(String(error))
    const stop = new AbortController()
    const running = projectViews({ log, views, clock, onFailure }, stop.signal)
    await until(async () => failures.length > 0)
    expect(failures[0]).toBe(
      'AheadOfLogError: the views of partition 0 are at offset 2, and the log ends at 1: they followed ' +
        'another log, or this one before it was restored; `market rebuild views` makes them of this one',
    )
    await append(log, 'lifecycle', life.changes.slice(1))
    const before = failures.length
    await until(async () => failures.length > before)
    stop.abort()
    await running
    expect(await views.order(life.order.id)).toBeNull()
    expect(await views.position(0)).toBe(2)
  }))
