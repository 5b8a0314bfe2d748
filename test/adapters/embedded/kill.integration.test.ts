import { expect, test } from 'vitest'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { EmbeddedViews } from '../../../src/adapters/embedded/views/views.ts'
import { isSealed } from '../../../src/domain/order/change-chain.ts'
import { foldOrder } from '../../../src/domain/order/fold-order.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { projectViews } from '../../../src/projections/project-views.ts'
import { ChangeRecord, TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { take } from '../../contracts/event-log.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { openToyWorker } from '../../support/log/toy-worker.ts'
import { startChild } from '../../support/services/child.ts'
import { systemClock as clock } from '../../support/system-clock.ts'

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 1)
const PARTITIONS = 3
const ORDERS = 5

async function withLog<T>(
  path: string,
  run: (log: EmbeddedLog, store: LmdbStore) => Promise<T>,
  partitions = PARTITIONS,
): Promise<T> {
  const store = await LmdbStore.open(path)
  try {
    return await run(await EmbeddedLog.open({ store, partitions, clock }), store)
  } finally {
    await store.close()
  }
}

test('what an append acknowledged is there after a kill -9, and the next process may open it', async () => {
  const { path, drop } = temporaryDirectory()
  let acknowledged = 0
  for (let round = 0; round < 3 * ROUNDS; round += 1) {
    const child = startChild('append', [path])
    const enough = acknowledged + 40 + 35 * round
    for await (const line of child.lines) {
      const [first, count] = line.split(' ').map(Number)
      acknowledged = first! + count!
      if (acknowledged >= enough) child.process.kill('SIGKILL')
    }
    expect(await child.ended).toBe('SIGKILL')
    await withLog(
      path,
      async (log) => {
        const end = await log.end(TOPICS.lifecycle, 0)
        expect(end).toBeGreaterThanOrEqual(acknowledged)
        const all = await take(log, TOPICS.lifecycle, 0, 0, end)
        expect(all.map(({ value }) => (value as { n: number }).n)).toEqual(
          Array.from({ length: end }, (_, n) => n),
        )
      },
      1,
    )
  }
  drop()
}, 60_000)

test('a second process on the directory is refused by name', async () => {
  const { path, drop } = temporaryDirectory()
  const child = startChild('append', [path])
  for await (const _ of child.lines) break
  await expect(LmdbStore.open(path)).rejects.toMatchObject({
    name: 'StorageUnavailableError',
    reason: 'in-use',
    message: expect.stringContaining(`in use by process ${child.process.pid}`),
  })
  child.process.kill('SIGKILL')
  await child.ended
  const store = await LmdbStore.open(path)
  await store.close()
  drop()
}, 60_000)

test('a failed write ends the process, what was acknowledged stays, and nothing else is visible', async () => {
  const { path, drop } = temporaryDirectory()
  // A limit of some MiB on file sizes simulates a full device.
  const child = startChild('append', [path, '30000'], 'ulimit -f 12000')
  let acknowledged = 0
  let told = ''
  for await (const line of child.lines) {
    const [first, count] = line.split(' ').map(Number)
    if (Number.isNaN(first)) told = line
    else acknowledged = first! + count!
  }
  // Code 1, or the signal of an allocator that found corrupted memory (ADR 35).
  const ended = await child.ended
  expect([1, 'SIGABRT', 'SIGSEGV', 'SIGBUS']).toContain(ended)
  expect(
    ended === 1 ? ['StorageUnavailableError io'] : ['', 'StorageUnavailableError io'],
  ).toContain(told)
  expect(acknowledged).toBeGreaterThan(20)
  await withLog(
    path,
    async (log) => expect(await log.end(TOPICS.lifecycle, 0)).toBe(acknowledged),
    1,
  )
  drop()
}, 60_000)

const POINTS: readonly CrashPoint[] = [
  'before consume',
  'after consume',
  'before compute',
  'after compute',
  'before append',
  'after append',
  'before offset',
  'after offset',
  'before view',
  'after view',
]

test('killed at any point, every inbox record has one change in the end, and the view is their fold', async () => {
  const { path, drop } = temporaryDirectory()
  for (const [round, point] of Array.from({ length: ROUNDS }, () => POINTS)
    .flat()
    .entries()) {
    await withLog(path, (log) => log.append(commands(round, 12)))
    const child = startChild('project', [path, point, '2'])
    expect(await child.ended, point).toBe('SIGKILL')
  }
  await withLog(path, async (log, store) => {
    const views = await EmbeddedViews.open({ store, network: 'regtest', clock })
    await runToEnd(log, views)
    const expected = await foldOfLog(log)
    const shown = new Map<string, OrderRecord>()
    for await (const order of views.all()) shown.set(order.id, order)
    expect(shown).toEqual(expected)
  })
  drop()
}, 120_000)

function commands(seed: number, count: number) {
  return Array.from({ length: count * PARTITIONS }, (_, index) => ({
    topic: TOPICS.inbox,
    partition: index % PARTITIONS,
    key: 'toy',
    value: { order: (index + seed) % ORDERS },
  }))
}

async function runToEnd(log: EmbeddedLog, views: EmbeddedViews): Promise<void> {
  const stop = new AbortController()
  const running = [
    log.processInbox(openToyWorker, stop.signal),
    projectViews({ log, views, clock }, stop.signal),
  ]
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    // One change a record: both end at the same offset.
    const end = await log.end(TOPICS.inbox, partition)
    while ((await views.position(partition)) < end) await clock.sleep(5)
    const fresh = () => views.freshness().then((all) => all.get(partition)?.watermark.n ?? -1)
    while ((await fresh()) < end - 1) await clock.sleep(5)
  }
  stop.abort()
  await Promise.all(running)
}

/** Reads the whole lifecycle: one change for each inbox record, sealed, in gapless sequence. */
async function foldOfLog(log: EmbeddedLog): Promise<Map<string, OrderRecord>> {
  const orders = new Map<string, OrderRecord>()
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const end = await log.end(TOPICS.lifecycle, partition)
    expect(end).toBe(await log.end(TOPICS.inbox, partition))
    const records = await take(log, TOPICS.lifecycle, partition, 0, end)
    for (const [index, { value }] of records.entries()) {
      const change = ChangeRecord.parse(value)
      expect(change.cause).toMatchObject({ partition, offset: index })
      expect(isSealed(change)).toBe(true)
      const before = orders.get(change.orderId) ?? null
      expect(change.prevHash).toBe(before?.hash ?? null)
      orders.set(change.orderId, foldOrder(before, change))
    }
  }
  return orders
}
