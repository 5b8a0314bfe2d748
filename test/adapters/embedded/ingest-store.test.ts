import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openIngestStore } from '../../../src/adapters/embedded/ingest-store.ts'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log.ts'
import type { IngestState, IngestStore, KeptBlock } from '../../../src/ports/ingest-store.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { systemClock } from '../../support/system-clock.ts'

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

const txid = (n: number) => n.toString(16).padStart(64, '0')
const bare = (n: number) => ({ txid: txid(n), bytes: Buffer.from([n, 0xff]) })
const block = (height: number): KeptBlock => ({
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
  owed: { lost: { aboveHeight: 2 } },
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
  const unfit = { txid: 'f'.repeat(5_000), bytes: Buffer.from([1]) }
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

test('blocks below a height are forgotten, those of the same height by hash are apart', async () => {
  const twin = { ...block(5), hash: txid(77) }
  for (const keep of [block(3), block(4), block(5), twin]) await store.save({ state, keep })
  await store.save({ state, forgetBelow: 5 })
  const there = await Promise.all([block(3), block(4), block(5), twin].map(store.block))
  expect(there.map((kept) => kept?.hash ?? null)).toEqual([null, null, block(5).hash, twin.hash])
})

test('a change that can not be written leaves nothing of it behind', async () => {
  await store.save({ state })
  const broken = { ...bare(3), txid: 'x'.repeat(3_000) }
  await expect(store.save({ state: { ...state, epoch: 9 }, entered: [broken] })).rejects.toThrow()
  expect(await store.state()).toEqual(state)
  expect(await txids()).toEqual([])
})
