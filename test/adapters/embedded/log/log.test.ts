import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
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
