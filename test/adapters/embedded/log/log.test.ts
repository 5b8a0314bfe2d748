import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
import type { Stored } from '../../../../src/ports/log/event-log.ts'
import { TOPICS } from '../../../../src/schemas/log.ts'
import { eventLogContract, type OpenedLog, take } from '../../../contracts/event-log.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { withEmbeddedLog } from '../../../support/log/with-embedded-log.ts'
import { systemClock } from '../../../support/system-clock.ts'

const DAY_MS = 86_400_000

async function openIn(path: string, drop: () => void): Promise<OpenedLog> {
  let store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: 3, clock: systemClock })
  return {
    log,
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return EmbeddedLog.open({ store, partitions: 3, clock: systemClock })
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
}

eventLogContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  return openIn(path, drop)
})

const withLog = withEmbeddedLog(2)

const records = (topic: (typeof TOPICS)[keyof typeof TOPICS], values: readonly unknown[]) =>
  values.map((value) => ({ topic, partition: 0, key: 'k', value }))

test('another partition count is refused with the fix', () =>
  withLog(async (_log, clock, store) => {
    await expect(EmbeddedLog.open({ store, partitions: 4, clock })).rejects.toThrow(
      'created with 2 partitions, but 4 are configured: set ORDER_PARTITIONS to 2',
    )
  }))

test('a log of an earlier release is continued, and that release then refuses it', () =>
  inStoreOfBefore(async (store, before) => {
    const log = await EmbeddedLog.open({ store, partitions: 2, clock: systemClock })
    expect(await take(log, TOPICS.inbox, 1, 0, 3)).toEqual(before)
    expect(await log.end(TOPICS.inbox, 1)).toBe(3)
    await log.append([{ topic: TOPICS.inbox, partition: 1, key: 'k', value: 'next' }])
    const next = { partition: 1, offset: 3, value: 'next' }
    expect(await take(log, TOPICS.inbox, 1, 0, 4)).toEqual([...before, next])
    expect(await take(log, TOPICS.inbox, 1, 2, 2)).toEqual([before[2], next])
    expect(await log.consumed(1)).toBe(1)
    // It compared this with its own count.
    expect(store.table('log settings').get('partitions')).toBe('2 (by a later release)')
    await EmbeddedLog.open({ store, partitions: 2, clock: systemClock })
    await expect(EmbeddedLog.open({ store, partitions: 3, clock: systemClock })).rejects.toThrow(
      'created with 2 partitions, but 3 are configured',
    )
  }))

test('a log of an earlier release with another partition count stays as it was', () =>
  inStoreOfBefore(async (store) => {
    await expect(EmbeddedLog.open({ store, partitions: 4, clock: systemClock })).rejects.toThrow(
      'created with 2 partitions, but 4 are configured: set ORDER_PARTITIONS to 2',
    )
    expect(store.table('log settings').get('partitions')).toBe(2)
  }))

test('a log of a later release is refused, and the refusal says which to start', () =>
  withLog(async (_log, clock, store) => {
    await store.write(() => store.table<number>('log settings').putSync('format', 3))
    await expect(EmbeddedLog.open({ store, partitions: 2, clock })).rejects.toThrow(
      'the log has format 3, but this release reads up to 2: start the release that wrote it',
    )
  }))

/**
 * Three records in partition 1, the first of them consumed, as releases without a tail stored them.
 */
async function inStoreOfBefore(
  run: (store: LmdbStore, records: readonly Stored<unknown>[]) => Promise<void>,
): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const records = ['a', 'b', 'c'].map((value, offset) => ({ partition: 1, offset, value }))
  try {
    await store.write(() => {
      store.table<number>('log settings').putSync('partitions', 2)
      store.table<number, number>('inbox offsets').putSync(1, 1)
      const inbox = store.documents<unknown, [number, number]>(`log ${TOPICS.inbox}`)
      for (const { offset, value } of records) inbox.putSync([1, offset], [1, 'k', value])
    })
    await run(store, records)
  } finally {
    await store.close()
    drop()
  }
}

test('a compacted topic keeps the latest record of a key', () =>
  withLog(async (log) => {
    await log.append(records(TOPICS.snapshots, ['first', 'second']))
    await log.append(records(TOPICS.snapshots, ['third']))
    expect(await take(log, TOPICS.snapshots, 0, 0, 1)).toEqual([
      { partition: 0, offset: 2, value: 'third' },
    ])
  }))

test('old feed records are removed, the lifecycle never, and offsets go on', () =>
  withLog(async (log, clock) => {
    await log.append([...records(TOPICS.mempool, [1, 2, 3]), ...records(TOPICS.lifecycle, [1, 2])])
    clock.advance(DAY_MS + 1)
    await log.append(records(TOPICS.mempool, [4]))
    expect(await log.trim()).toBe(3)
    expect(await take(log, TOPICS.mempool, 0, 0, 1)).toMatchObject([{ offset: 3, value: 4 }])
    clock.advance(30 * DAY_MS)
    expect(await log.trim()).toBe(0)
    expect(await take(log, TOPICS.lifecycle, 0, 0, 2)).toHaveLength(2)
    await log.append(records(TOPICS.mempool, [5]))
    expect(await log.end(TOPICS.mempool, 0)).toBe(5)
  }))

test('an inbox record that was not consumed is never removed, however old', () =>
  withLog(async (log, clock) => {
    await log.append(records(TOPICS.inbox, [1, 2, 3]))
    clock.advance(100 * DAY_MS)
    expect(await log.trim()).toBe(0)
  }))
