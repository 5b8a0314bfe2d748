import { firstValueFrom } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { IndexStatus } from '../../../src/ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../../src/ports/authorities/authority-errors.ts'
import type { ChainStatus } from '../../../src/ports/authorities/full-node.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { BlockHash } from '../../../src/schemas/scalars.ts'
import {
  listingReadiness,
  type ReadinessSources,
} from '../../../src/streams/readiness/listing-readiness.ts'
import { toBlockHash } from '../../support/ids.ts'

const NOW = '2026-02-03T04:05:06.789Z'
const clock: Clock = {
  now: () => Date.parse(NOW),
  monotonic: () => performance.now(),
  sleep: async () => undefined,
  turn: async () => undefined,
}
const hashAt = (height: number): BlockHash => toBlockHash(height.toString(16).padStart(64, '0'))

const chain = (height: number, changes: Partial<ChainStatus> = {}): ChainStatus => ({
  network: 'regtest',
  tip: { height, hash: hashAt(height), medianTime: 0, time: 0 },
  initialBlockDownload: false,
  mempoolLoaded: true,
  prunedBelow: 0,
  version: '310000',
  ...changes,
})
const status = (height: number, changes: Partial<IndexStatus> = {}): IndexStatus => ({
  tip: { height, hash: hashAt(height) },
  version: 'ord 0.29',
  build: 'synced once',
  unrecoverablyReorged: false,
  runes: true,
  ...changes,
})
const node = (of: () => ChainStatus | Promise<ChainStatus>) => ({
  chain: async () => of(),
  blockHash: async (height: number) => hashAt(height),
})
const index = (of: () => IndexStatus | Promise<IndexStatus>) => ({ status: async () => of() })
const silence = <T>(): Promise<T> => new Promise<T>(() => undefined)
const fail = (error: Error): never => {
  throw error
}

const sources: ReadinessSources = {
  node: node(() => chain(100)),
  index: index(() => status(100)),
  storage: { probe: async () => undefined },
  clock,
  maxLagBlocks: 2,
  timeoutMs: 60,
  cacheForMs: 0,
}
const observe = (changes: Partial<ReadinessSources> = {}) =>
  firstValueFrom(listingReadiness({ ...sources, ...changes }))

test('ready: storage writes, node and index answer and follow one chain', async () => {
  expect(await observe()).toEqual({
    ready: true,
    reason: null,
    coreHeight: 100,
    assetIndexHeight: 100,
    lagBlocks: 0,
    maxLagBlocks: 2,
    storageWritable: true,
    checkedAt: NOW,
  })
})

test('a lag within the bound is ready and shown', async () => {
  expect(await observe({ index: index(() => status(98)) })).toMatchObject({
    ready: true,
    assetIndexHeight: 98,
    lagBlocks: 2,
  })
})

describe('not ready, with the first reason in order [spec 2.2 ListingReadiness.reason]', () => {
  const down = new NodeUnavailableError('node_unavailable', 'refused')
  const lost = new IndexUnavailableError('asset_index_unreachable', 'refused')
  const full = {
    probe: async () => {
      throw new Error('ENOSPC')
    },
  }
  test.each<[string, string, Partial<ReadinessSources>]>([
    ['no node is configured', 'not_configured', { node: null }],
    ['no index is configured', 'not_configured', { index: null, storage: full }],
    [
      'the store does not write',
      'storage_unavailable',
      { storage: full, node: node(() => fail(down)) },
    ],
    ['the node is unavailable', 'core_unavailable_or_syncing', { node: node(() => fail(down)) }],
    [
      'the node downloads its first blocks',
      'core_unavailable_or_syncing',
      { node: node(() => chain(100, { initialBlockDownload: true })) },
    ],
    [
      'the mempool is loading',
      'core_unavailable_or_syncing',
      { node: node(() => chain(100, { mempoolLoaded: false })) },
    ],
    ['the index is unavailable', 'asset_index_unreachable', { index: index(() => fail(lost)) }],
    ['the index lags by more', 'asset_index_behind', { index: index(() => status(97)) }],
    [
      'the index has no block',
      'asset_index_behind',
      { index: index(() => status(1, { tip: null })) },
    ],
    [
      'the index holds another block at its height',
      'asset_index_behind',
      { index: index(() => status(100, { tip: { height: 100, hash: hashAt(7) } })) },
    ],
    [
      'the index is beyond recovery',
      'asset_index_behind',
      { index: index(() => status(100, { unrecoverablyReorged: true })) },
    ],
    ['the node is silent', 'observation_timed_out', { node: node(silence) }],
    ['the index is silent', 'observation_timed_out', { index: index(silence) }],
    ['the store is silent', 'observation_timed_out', { storage: { probe: silence } }],
    [
      'the node is silent on the hash',
      'observation_timed_out',
      { node: { chain: async () => chain(100), blockHash: silence } },
    ],
  ])('%s', async (_name, reason, changes) => {
    expect(await observe(changes)).toMatchObject({ ready: false, reason })
  })
})

test('an observation ends in time, and says what it saw', async () => {
  const begun = performance.now()
  const seen = await observe({ node: node(silence) })
  expect(performance.now() - begun).toBeLessThan(30_000)
  expect(seen).toMatchObject({ coreHeight: null, assetIndexHeight: 100, storageWritable: true })
})

test('concurrent callers share one observation; later ones get a new one', async () => {
  let asked = 0
  const counting = node(() => {
    asked += 1
    return chain(100)
  })
  const readiness = listingReadiness({ ...sources, node: counting, cacheForMs: 30 })
  await Promise.all([firstValueFrom(readiness), firstValueFrom(readiness)])
  await firstValueFrom(readiness)
  expect(asked).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 80))
  await firstValueFrom(readiness)
  expect(asked).toBe(2)
})
