import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openDevnet } from '../../../src/devnet/devnet.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../../src/ports/authorities/authority-errors.ts'
import type { BlockSource } from '../../../src/ports/authorities/full-node.ts'
import type { BlockFold, PlacedBlock } from '../../../src/ports/folds/block-fold.ts'
import type { BlockHash, BlockRef } from '../../../src/schemas/scalars.ts'
import { type BlockNews, followBlocks } from '../../../src/streams/blocks/follow-blocks.ts'
import { toBlockHash } from '../../support/ids.ts'
import { systemClock } from '../../support/system-clock.ts'

/** Records its calls, and refuses what does not continue it. */
class Remembered implements BlockFold {
  readonly startHeight: number
  readonly told: string[] = []
  readonly groups: number[] = []
  #blocks: PlacedBlock[] = []
  fault: Error | null = null

  constructor(startHeight: number) {
    this.startHeight = startHeight
  }

  tip = (): BlockRef | null => this.#blocks.at(-1) ?? null
  hashAt = (height: number) => this.#blocks[height - this.startHeight]?.hash ?? null

  async connect(blocks: readonly PlacedBlock[]): Promise<void> {
    if (this.fault) throw this.fault
    this.groups.push(blocks.length)
    for (const placed of blocks) {
      const tip = this.tip()
      expect(placed.height).toBe(tip ? tip.height + 1 : this.startHeight)
      if (tip) expect(placed.block.prevHash).toBe(tip.hash)
      this.#blocks.push(placed)
      this.told.push(`+${placed.height}`)
    }
  }

  async disconnect(): Promise<void> {
    this.told.push(`-${this.#blocks.pop()?.height}`)
  }
}

const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
let stop: AbortController
let news: BlockNews[]
let running: Promise<void>[]

beforeEach(() => {
  stop = new AbortController()
  news = []
  running = []
})
afterEach(async () => {
  stop.abort()
  await Promise.allSettled(running)
})

function follow(fold: BlockFold, source: BlockSource = devnet.node): { ended: Promise<void> } {
  const parts = { source, fold, clock: systemClock, beatMs: 50, levelBeatMs: 50 }
  const ended = followBlocks({ ...parts, onNews: (one) => news.push(one) }, stop.signal)
  ended.catch(() => undefined)
  running.push(ended)
  return { ended }
}

async function level(fold: BlockFold): Promise<void> {
  const isLevel = async () => fold.tip()?.hash === (await devnet.node.chain()).tip.hash
  for (let waited = 0; !(await isLevel()); waited++) {
    if (waited > 500) throw new Error(`it stands at ${fold.tip()?.height}`)
    await delay(10)
  }
}

/** The devnet, with some answers of its own. */
const altered = (answers: Partial<BlockSource>): BlockSource => ({
  chain: () => devnet.node.chain(),
  blockHash: (height) => devnet.node.blockHash(height),
  rawBlock: (hash) => devnet.node.rawBlock(hash),
  prevouts: (hash, txids) => devnet.node.prevouts(hash, txids),
  changes: (signal) => devnet.node.changes(signal),
  ...answers,
})

test('from the start height to the tip, in growing groups, then block by block', async () => {
  const fold = new Remembered(7)
  const { ended } = follow(fold)
  await level(fold)
  const { tip } = await devnet.node.chain()
  expect(fold.told).toEqual(Array.from({ length: tip.height - 6 }, (_, at) => `+${at + 7}`))
  expect(fold.groups.slice(0, 4)).toEqual([1, 2, 4, 8])
  devnet.mine(1)
  await level(fold)
  expect(fold.told.at(-1)).toBe(`+${tip.height + 1}`)
  const isLevel = { kind: 'level', tip: fold.tip(), nodeHeight: tip.height + 1 }
  await vi.waitFor(() => expect(news.at(-1)).toEqual(isLevel), 10_000)
  stop.abort()
  await ended
})

test('a reorg is undone newest first, down to below the start where it must be', async () => {
  const { height } = (await devnet.node.chain()).tip
  const folds = [new Remembered(0), new Remembered(height - 1)]
  for (const fold of folds) follow(fold)
  await Promise.all(folds.map(level))
  const before = folds.map(({ told }) => told.length)
  devnet.reorg(3)
  await Promise.all(folds.map(level))
  expect(folds[0]?.told.slice(before[0])).toEqual([
    ...[0, 1, 2].map((at) => `-${height - at}`),
    ...[2, 1, 0, -1].map((at) => `+${height - at}`),
  ])
  expect(folds[1]?.told.slice(before[1])).toEqual([
    `-${height}`,
    `-${height - 1}`,
    ...[1, 0, -1].map((at) => `+${height - at}`),
  ])
})

test('at the tip a beat is one query', async () => {
  const fold = new Remembered(0)
  let names = 0
  let chains = 0
  follow(
    fold,
    altered({
      chain: () => {
        chains += 1
        return devnet.node.chain()
      },
      blockHash: (height) => {
        names += 1
        return devnet.node.blockHash(height)
      },
    }),
  )
  await level(fold)
  await delay(20)
  const before = { names, chains }
  await vi.waitFor(() => expect(chains - before.chains).toBeGreaterThan(1), 10_000)
  expect(names).toBe(before.names)
})

test('an unavailable node is asked often, and one that the fold has caught up with is not', async () => {
  let asked = 0
  let isAway = true
  const source = altered({
    chain: async () => {
      asked += 1
      if (isAway) throw new NodeUnavailableError('node_unavailable', 'the node is away')
      return devnet.node.chain()
    },
    async *changes() {},
  })
  const fold = new Remembered(0)
  const beats = { beatMs: 20, levelBeatMs: 60_000 }
  const parts = {
    source,
    fold,
    clock: systemClock,
    ...beats,
    onNews: (one: BlockNews) => news.push(one),
  }
  running.push(followBlocks(parts, stop.signal))
  await vi.waitFor(() => expect(asked).toBeGreaterThan(5), 10_000)
  isAway = false
  await vi.waitFor(() => expect(news.at(-1)?.kind).toBe('level'), 10_000)
  // The last pause while it was unavailable.
  await delay(50)
  asked = 0
  await delay(200)
  expect(asked).toBe(0)
})

test('a node that rolled back and names no other block undoes nothing', async () => {
  const fold = new Remembered(0)
  let back = 0
  const shorter = altered({
    chain: async () => {
      const chain = await devnet.node.chain()
      return { ...chain, tip: { ...chain.tip, height: chain.tip.height - back } }
    },
  })
  follow(fold, shorter)
  await level(fold)
  const told = fold.told.length
  back = 5
  await delay(200)
  expect(fold.told).toHaveLength(told)
})

test('a node that is unavailable, or has pruned a block, is asked again', async () => {
  const fold = new Remembered(0)
  const troubles: Error[] = [
    new NodeUnavailableError('node_unavailable', 'the node is away'),
    new BlockUnavailableError(toBlockHash('a block')),
  ]
  follow(
    fold,
    altered({
      rawBlock: async (hash) => {
        const trouble = troubles.shift()
        if (trouble) throw trouble
        return devnet.node.rawBlock(hash)
      },
    }),
  )
  await level(fold)
  expect(news.filter(({ kind }) => kind === 'away')).toEqual([
    away('the node is away'),
    away('the node no longer has block a block'),
  ])
})

test('a body that is not the requested block is refused', async () => {
  const fold = new Remembered(0)
  const other = (await devnet.node.blockHash(3)) ?? toBlockHash('')
  const changedAtTheEnd = async (hash: BlockHash) => {
    const bytes = Buffer.from((await devnet.node.rawBlock(hash)) ?? [])
    bytes.writeUInt32LE(1, bytes.length - 4)
    return bytes
  }
  const lies = [
    async () => Buffer.from('00'),
    async () => devnet.node.rawBlock(other),
    changedAtTheEnd,
  ]
  const source = altered({
    rawBlock: async (hash) => (lies.shift() ?? devnet.node.rawBlock.bind(devnet.node))(hash),
  })
  follow(fold, source)
  await level(fold)
  expect(news.filter(({ kind }) => kind === 'away')).toEqual([
    away(/^block [0-9a-f]{64} cannot be read: /),
    away(`it is block ${other}$`),
    away(/not those that its header names$/),
  ])
})

test('a chain that moves between two answers is read again', async () => {
  const fold = new Remembered(0)
  let moves = 1
  follow(
    fold,
    altered({
      blockHash: async (height) => {
        if (height === 40 && moves-- > 0) devnet.reorg(90)
        return devnet.node.blockHash(height)
      },
    }),
  )
  await level(fold)
  expect(fold.told.filter((step) => step.startsWith('+')).length).toBeGreaterThan(120)
})

test('a stop while a stale block is taken back ends it, and leaves no rejection', async () => {
  const fold = new Remembered(0)
  const { ended } = follow(fold)
  await level(fold)
  const rejections: unknown[] = []
  const note = (error: unknown) => rejections.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
  })
  fold.disconnect = async () => stop.abort()
  devnet.reorg(2)
  await ended
  await delay(1)
  expect(rejections).toEqual([])
})

test('what the fold throws ends it', async () => {
  const fold = new Remembered(0)
  fold.fault = new Error('the disk is full')
  await expect(follow(fold).ended).rejects.toThrow('the disk is full')
})

const away = (message: string | RegExp) => ({
  kind: 'away',
  error: expect.objectContaining({ message: expect.stringMatching(message) }),
})
