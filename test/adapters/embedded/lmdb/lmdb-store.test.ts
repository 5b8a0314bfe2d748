import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { describe, expect, test } from 'vitest'
import { environmentOf } from '../../../../src/adapters/embedded/lmdb/lmdb-environment.ts'
import { isRunning, thisProcess } from '../../../../src/adapters/embedded/lmdb/lmdb-owner.ts'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { readStored } from '../../../../src/adapters/embedded/stores/read-stored.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { bookOf } from '../../../support/orders/order-book.ts'

async function withStore(run: (store: LmdbStore, path: string) => Promise<void>): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  try {
    await run(store, path)
  } finally {
    await store.close()
    drop()
  }
}

test('a write that throws leaves nothing, and others queued with it succeed', () =>
  withStore(async (store) => {
    const table = store.table<number>('numbers')
    const failing = store.write(() => {
      table.putSync('a', 1)
      throw new Error('changed my mind')
    })
    const passing = store.write(() => table.putSync('b', 2))
    await expect(failing).rejects.toThrow('changed my mind')
    await passing
    expect([table.get('a'), table.get('b')]).toEqual([undefined, 2])
  }))

test('a write sees its own puts', () =>
  withStore(async (store) => {
    const table = store.documents<{ n: number }>('numbers')
    const seen = await store.write(() => {
      table.putSync('a', { n: 1 })
      return table.get('a')
    })
    expect(seen).toEqual({ n: 1 })
  }))

describe('writes in turn', () => {
  const transactions = (path: string): number => {
    const reader = open({ path: join(path, 'market.mdb'), readOnly: true })
    const { lastTxnId } = reader.getStats() as { lastTxnId: number }
    void reader.close()
    return lastTxnId
  }

  test('of few records share transactions, each is all or none, and they keep their order', () =>
    withStore(async (store, path) => {
      const table = store.table<number>('numbers')
      await store.probe()
      const before = transactions(path)
      const written = Array.from({ length: 50 }, (_, n) =>
        store.writeGrouped(() => {
          table.putSync('last', n)
          if (n % 7 === 3) throw new Error(`changed my mind about ${n}`)
          table.putSync(`of ${n}`, table.get('count') ?? 0)
          table.putSync('count', (table.get('count') ?? 0) + 1)
        }, 1),
      )
      const ends = (await Promise.allSettled(written)).map(({ status }) => status)
      const passing = Array.from({ length: 50 }, (_, n) => n).filter((n) => n % 7 !== 3)
      expect(ends.flatMap((status, n) => (status === 'fulfilled' ? n : []))).toEqual(passing)
      expect(passing.map((n) => table.get(`of ${n}`))).toEqual([...passing.keys()])
      expect(table.get('last')).toBe(49)
      expect(transactions(path) - before).toBeLessThanOrEqual(2)
    }))

  test('of many records have one each, so that none holds the event loop for all', () =>
    withStore(async (store, path) => {
      const table = store.table<number>('numbers')
      await store.probe()
      const before = transactions(path)
      await Promise.all(
        [40, 40, 40, undefined, undefined].map((records, n) =>
          store.writeGrouped(() => table.putSync(`of ${n}`, n), records),
        ),
      )
      expect(transactions(path) - before).toBe(5)
    }))
})

test('a new store takes one transaction to claim what it owns, and one to release it', async () => {
  const { path, drop } = temporaryDirectory()
  await (await LmdbStore.open(path)).close()
  const environment = open({ ...environmentOf(path), readOnly: true })
  expect(environment.getStats()).toMatchObject({ lastTxnId: 2 })
  await environment.close()
  drop()
})

test.each([
  [
    'an earlier layout',
    undefined,
    'has an earlier layout, but this release reads 1: delete DATA_DIR',
  ],
  ['a lower layout', 0, 'has layout 0, but this release reads 1: delete DATA_DIR'],
  ['a later layout', 2, 'has layout 2, but this release reads 1: start the release that wrote it'],
])('a store of %s is refused with its cure, and left as it was', async (_, layout, cure) => {
  const { path, drop } = temporaryDirectory()
  await (await LmdbStore.open(path)).close()
  const write = open({ ...environmentOf(path) })
  const meta = write.openDB<unknown, string>({ name: 'meta' })
  if (layout === undefined) await meta.remove('layout')
  else await meta.put('layout', layout)
  const { lastTxnId } = write.getStats() as { lastTxnId: number }
  await write.close()
  const refused = { name: 'StoreLayoutError', message: expect.stringContaining(`${path} ${cure}`) }
  await expect(LmdbStore.open(path)).rejects.toMatchObject(refused)
  await expect(readStored(path, 'numbers', () => 1)).rejects.toMatchObject(refused)
  const read = open({ ...environmentOf(path), readOnly: true })
  expect(read.getStats()).toMatchObject({ lastTxnId })
  await read.close()
  drop()
})

test('a nearly full disk is not written to: reported before it is full', async () => {
  const { path, drop } = temporaryDirectory()
  const full = { name: 'StorageUnavailableError', reason: 'full' }
  const store = await LmdbStore.open(path, { minFreeBytes: Number.MAX_SAFE_INTEGER })
  const table = store.table<number>('numbers')
  await expect(store.probe()).rejects.toMatchObject(full)
  await expect(store.write(() => table.putSync('a', 1))).rejects.toMatchObject(full)
  expect(store.read(() => table.get('a'))).toBeUndefined()
  await store.close()
  drop()
})

test('a full map says what to set, loses nothing, and a larger one takes writes again', async () => {
  const { path, drop } = temporaryDirectory()
  const MIB = 2 ** 20
  const open = (mapBytes: number) => LmdbStore.open(path, { mapBytes, minFreeBytes: MIB })
  const small = await open(4 * MIB)
  const table = small.bytes('records')
  const put = (store: LmdbStore, n: number) =>
    store.write(() => store.bytes('records').putSync(`${n}`, Buffer.alloc(2 ** 18, n)))
  let kept = 0
  const refused = (async () => {
    for (; kept < 100; kept += 1) await put(small, kept)
  })()
  await expect(refused).rejects.toMatchObject({
    name: 'StorageUnavailableError',
    reason: 'full',
    message: expect.stringMatching(
      /market\.mdb has .* GiB, nearly all .* set it to more and start again$/,
    ),
  })
  expect(kept).toBeGreaterThan(4)
  await expect(small.probe()).rejects.toMatchObject({ reason: 'full' })
  const keys = () => [...table.getKeys()].length
  expect(small.read(keys)).toBe(kept)
  await small.close()

  const again = await open(4 * MIB)
  expect(again.read(() => again.bytes('records').get('0')?.length)).toBe(2 ** 18)
  await expect(put(again, kept)).rejects.toMatchObject({ reason: 'full' })
  await again.close()

  const large = await open(16 * MIB)
  for (let n = kept; n < kept + 10; n += 1) await put(large, n)
  expect([...large.bytes('records').getKeys()]).toHaveLength(kept + 10)
  await large.close()
  drop()
})

test('a closed store says so', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  await store.close()
  const closed = { name: 'StorageUnavailableError', reason: 'closed' }
  await expect(store.probe()).rejects.toMatchObject(closed)
  await expect(store.write(() => 1)).rejects.toMatchObject(closed)
  expect(() => store.read(() => 1)).toThrow(expect.objectContaining(closed))
  drop()
})

test('a directory that cannot be used is refused by its name', async () => {
  const { path, drop } = temporaryDirectory()
  writeFileSync(join(path, 'file'), '')
  await expect(LmdbStore.open(join(path, 'file', 'store'))).rejects.toMatchObject({
    name: 'StorageUnavailableError',
    reason: 'io',
    message: expect.stringContaining(`${join(path, 'file', 'store')} cannot be used: ENOTDIR`),
  })
  drop()
})

test('an owner presumed dead that survives in another container can no longer write', () =>
  withStore(async (store, path) => {
    const table = store.table<number>('numbers')
    // What another process does when it takes over the directory, in the environment they share.
    const shared = open({ path: join(path, 'market.mdb'), maxDbs: 64 })
    const owners = shared.openDB<object, string>({ name: 'owner' })
    await owners.put('owner', { process: thisProcess(), term: 99 })
    await expect(store.write(() => table.putSync('a', 1))).rejects.toMatchObject({
      name: 'StorageUnavailableError',
      reason: 'taken-over',
    })
    expect(table.get('a')).toBeUndefined()
  }))

test('a process is distinguished from a later one with its pid, and from one of another boot', () => {
  const me = thisProcess()
  expect(isRunning(me)).toBe(true)
  expect(isRunning({ ...me, started: '1' })).toBe(false)
  expect(isRunning({ ...me, boot: 'another' })).toBe(false)
  expect(isRunning({ ...me, pid: 2 ** 22 + 1 })).toBe(false)
})

test('records are read as they were written, whatever their size, at once and after a restart', async () => {
  const { path, drop } = temporaryDirectory()
  const values = [null, 'é𝔘', [1, { a: true }], { text: 'x'.repeat(100_000) }, ...bookOf(20, 9)]
  const first = await LmdbStore.open(path)
  const written = first.documents<unknown, number>('records')
  await first.write(() => {
    for (const [at, value] of values.entries()) {
      written.putSync(at, value)
      expect(written.get(at)).toEqual(value)
    }
  })
  await first.close()
  const second = await LmdbStore.open(path)
  const read = second.documents<unknown, number>('records')
  expect([...read.getRange()].map(({ value }) => value)).toEqual(values)
  await second.close()
  drop()
})
