import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openCircleStore } from '../../src/adapters/embedded/stores/circle-store.ts'
import { openPairingStore } from '../../src/adapters/embedded/stores/pairing-store.ts'
import { openCircleIndex } from '../../src/circles/circle-index.ts'
import { openPairingIndex } from '../../src/pairing/pairing-index.ts'
import type { BlockFold } from '../../src/ports/folds/block-fold.ts'
import { hereOpened } from '../../src/streams/blocks/open-block.ts'
import { compare, type Line, type LineContext } from '../harness/line.ts'
import { timed } from '../harness/processor-time.ts'
import type { Comparison, Sample } from '../harness/results.ts'
import { type BlockContent, BlockMaker, type RawBytes, SHARD_SATS } from './books/fold-blocks.ts'

interface Case {
  name: string
  sizes: string
  content: BlockContent
  /** Of one round. */
  blocks: number
  target: number
}

const casesOf = (isQuick: boolean): Case[] => {
  const relevant = isQuick ? 100 : 1_000
  const others = isQuick ? 350 : 3_500
  return [
    {
      name: 'relevant transactions alone',
      sizes: `${relevant} new objects and ${relevant} circles of two a block`,
      content: { objects: relevant, circles: relevant, others: 0 },
      blocks: 1,
      target: 0.1,
    },
    {
      name: 'ordinary blocks',
      sizes: `1 new object and ${others} other transactions a block`,
      content: { objects: 1, circles: 0, others },
      blocks: 10,
      target: 1,
    },
  ]
}

export const line: Line = {
  number: 10,
  name: 'folds',
  work: 'blocks from bytes into the pairing index and the circles, checked, folded and stored',
  peer: 'bitcoinjs-lib parsing the same blocks and checking their Merkle roots',
  run: async (context) => {
    const comparisons: Comparison[] = []
    for (const one of casesOf(context.isQuick)) {
      context.progress(one.name)
      comparisons.push(await fold(one, context))
    }
    return comparisons
  },
}

async function fold(
  { name, sizes, content, blocks, target }: Case,
  { rounds }: LineContext,
): Promise<Comparison> {
  const directory = mkdtempSync(join(tmpdir(), 'market-bench-'))
  const store = await LmdbStore.open(directory)
  const folds = await foldsOn(store)
  const maker = new BlockMaker()
  const made = new Map<number, RawBytes[]>()
  const ofRound = (round: number): RawBytes[] => {
    const known = made.get(round)
    if (known) return known
    made.clear()
    const next = Array.from({ length: blocks }, () => maker.next(content))
    made.set(round, next)
    return next
  }
  try {
    return await compare(
      {
        name,
        sizes: `${sizes}, ${blocks} blocks a round`,
        unit: 'MB/s',
        ratio: 'ours/peer',
        target: { atLeast: target },
        rounds,
      },
      (round) => perSecond(ofRound(round), (list) => foldAll(folds, list)),
      (round) => perSecond(ofRound(round), parseAll),
    )
  } finally {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Processor time per block. */
async function perSecond(
  list: RawBytes[],
  work: (list: RawBytes[]) => void | Promise<void>,
): Promise<Sample> {
  const { ms, cpuUs } = await timed(() => work(list))
  const bytes = list.reduce((sum, block) => sum + block.bytes.length, 0)
  return { figure: bytes / 1e6 / (ms / 1_000), cpuUs: cpuUs / list.length }
}

/** Both read the block that one of them opened, as in the service. */
async function foldAll(folds: readonly BlockFold[], list: RawBytes[]): Promise<void> {
  const placed = []
  for (const { height, hash, bytes } of list)
    placed.push({ height, hash, block: await hereOpened.open(hash, bytes) })
  for (const each of folds) await each.connect(placed)
}

function parseAll(list: RawBytes[]): void {
  for (const { bytes } of list) {
    const { transactions = [], merkleRoot = new Uint8Array() } = Block.fromBuffer(bytes)
    // Its own check also requires a commitment to the witnesses, which these blocks lack.
    const root = Block.calculateMerkleRoot(transactions)
    if (Buffer.compare(root, merkleRoot) !== 0) throw new Error('a block has a wrong root')
  }
}

async function foldsOn(store: LmdbStore): Promise<BlockFold[]> {
  const pairing = openPairingIndex({
    store: openPairingStore(store),
    settings: {
      deployment: 'bench',
      network: 'regtest',
      startHeight: 0,
      magic: Buffer.from('PAIR'),
    },
  })
  const spent = { valueSats: String(SHARD_SATS.spent), scriptHex: `5120${'ab'.repeat(32)}` }
  const circles = await openCircleIndex({
    store: openCircleStore(store),
    settings: { network: 'regtest', startHeight: 0 },
    prevouts: async (_, txids) => new Map(txids.map((txid) => [txid, [spent, spent]])),
  })
  return [pairing, circles]
}
