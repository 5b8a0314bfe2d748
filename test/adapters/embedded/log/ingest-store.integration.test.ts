import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import {
  openIngestCopy,
  openIngestStore,
} from '../../../../src/adapters/embedded/log/ingest-store.ts'
import { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
import type {
  IngestState,
  IngestStore,
  StoredBlock,
} from '../../../../src/ports/log/ingest-store.ts'
import { TOPICS } from '../../../../src/schemas/log.ts'
import { toAnyHash, toTxid } from '../../../support/ids.ts'
import { startChild } from '../../../support/services/child.ts'
import { systemClock } from '../../../support/system-clock.ts'

let directory: string
let database: LmdbStore
let store: IngestStore

const open = async () => {
  database = await LmdbStore.open(directory)
  store = openIngestStore(database)
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ingest-store-'))
  await open()
})

afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true })
})

const txid = (n: number) => toAnyHash(n.toString(16).padStart(64, '0'))
const bare = (n: number) => ({ txid: txid(n), bytes: Buffer.from([n, 0xff]) })
const block = (height: number): StoredBlock => ({
  height,
  hash: txid(1_000 + height),
  prevHash: txid(999 + height),
  time: 1_700_000_000,
  transactions: [bare(1), bare(2)],
})
const state: IngestState = {
  epoch: 7,
  tip: { height: 3, hash: txid(1_003), prevHash: null },
  pending: {
    kind: 'mempool',
    changes: [{ change: 'entered', transaction: bare(9), sequence: 4 }],
  },
  owed: { lost: { aboveHeight: 2 }, touched: '' },
  index: null,
}

const txids = async () => {
  const all: string[] = []
  for await (const one of store.mempool()) all.push(one)
  return all
}

test('records and what is kept with them are one transaction where the log is in the same store', async () => {
  const log = await EmbeddedLog.open({ store: database, partitions: 2, clock: systemClock })
  const own = openIngestStore(database, log)
  const record = { topic: TOPICS.mempool, partition: 0, key: '', value: 'told' }
  await own.saveWith?.([record], { state, entered: [bare(1)] })
  expect(await log.end(TOPICS.mempool, 0)).toBe(1)
  expect(await txids()).toEqual([txid(1)])
  const unfit = { txid: toTxid('f'.repeat(5_000)), bytes: Buffer.from([1]) }
  await expect(own.saveWith?.([record], { state, entered: [bare(2), unfit] })).rejects.toThrow()
  expect(await log.end(TOPICS.mempool, 0)).toBe(1)
  expect(await txids()).toEqual([txid(1)])
})

test('a store that was never used has no state', async () => {
  expect(await store.state()).toBeNull()
  expect(await store.block({ height: 1, hash: txid(1) })).toBeNull()
  expect(await txids()).toEqual([])
})

test('everything saved is there after the store was closed and opened', async () => {
  await store.save({ state, keep: block(3), entered: [bare(1), bare(2)] })
  await store.save({ state: { ...state, epoch: 8 }, left: [txid(1)] })
  await database.close()
  await open()
  expect(await store.state()).toEqual({ ...state, epoch: 8 })
  const kept = await store.block({ height: 3, hash: txid(1_003) })
  expect(kept).toEqual(block(3))
  expect(await txids()).toEqual([txid(2)])
  const [only, ...rest] = await store.transactions([txid(1), txid(2)])
  expect([only?.txid, [...(only?.bytes ?? [])], rest]).toEqual([txid(2), [2, 0xff], []])
})

test('blocks below a height are forgotten, those of the same height are separate by hash', async () => {
  const twin = { ...block(5), hash: txid(77) }
  for (const keep of [block(3), block(4), block(5), twin]) await store.save({ state, keep })
  await store.save({ state, forgetBelow: 5 })
  const there = await Promise.all([block(3), block(4), block(5), twin].map(store.block))
  expect(there.map((kept) => kept?.hash ?? null)).toEqual([null, null, block(5).hash, twin.hash])
})

test('a change that cannot be written leaves nothing behind', async () => {
  await store.save({ state })
  const broken = { ...bare(3), txid: toTxid('x'.repeat(3_000)) }
  await expect(store.save({ state: { ...state, epoch: 9 }, entered: [broken] })).rejects.toThrow()
  expect(await store.state()).toEqual(state)
  expect(await txids()).toEqual([])
})

test('what a failed change would have removed is there, and is removed later', async () => {
  await store.save({ state, entered: [bare(1), bare(2)] })
  const broken = { state: { ...state, unfit: () => {} } as IngestState, left: [txid(1)] }
  const entered = [{ ...bare(3), txid: toTxid('x'.repeat(3_000)) }]
  await expect(store.save({ ...broken, entered })).rejects.toThrow()
  expect((await txids()).sort()).toEqual([txid(1), txid(2)])
  expect(await store.transactions([txid(1)])).toMatchObject([{ txid: txid(1) }])
  await store.save({ state, left: [txid(1)] })
  await database.close()
  await open()
  expect(await txids()).toEqual([txid(2)])
})

test('a kill while a copy is cleared leaves all of it or nothing', async () => {
  await database.close()
  const KEPT = 2_000
  const left: string[] = []
  // Killed in the first write, in one that a clearing in parts would have, and after all.
  for (const write of [1, 2, 3]) {
    const child = startChild('clear-ingest-copy', [directory, String(KEPT), String(write)])
    expect(await child.ended).toBe('SIGKILL')
    database = await LmdbStore.open(directory)
    const copy = openIngestCopy(database)
    const kept: string[] = []
    for await (const one of copy.mempool()) kept.push(one)
    const parts = [copy.position(), await copy.state(), copy.storedBelow(1_000)[0]]
    const isWhole = kept.length === KEPT && parts.every((part) => part)
    const isEmpty = kept.length === 0 && parts.every((part) => !part)
    left.push(isWhole ? 'all' : isEmpty ? 'nothing' : 'a part')
    await database.close()
  }
  expect(left).toEqual(['all', 'nothing', 'nothing'])
  await open()
}, 60_000)
