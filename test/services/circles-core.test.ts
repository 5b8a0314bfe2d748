import { Transaction } from '@scure/btc-signer'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { openRest } from '../../src/adapters/bitcoind/rest.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openCircleStore } from '../../src/adapters/embedded/stores/circle-store.ts'
import { type CircleIndex, openCircleIndex } from '../../src/circles/circle-index.ts'
import { verifySnapshot } from '../../src/circles/verify-snapshot.ts'
import type { CircleSnapshot } from '../../src/schemas/api/circles.ts'
import { followBlocks } from '../../src/streams/blocks/follow-blocks.ts'
import { refoldCircles } from '../oracle/circles.ts'
import { walletOf } from '../support/chain/keys.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { bytesOf } from '../support/folds/circle-runs.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { dice } from '../support/orders/order-book.ts'
import { type Core, prepareCore } from '../support/services/core.ts'
import { systemClock } from '../support/system-clock.ts'

// Circles of taproot keys, signed and mined on Bitcoin Core: the index follows the node as the
// service does, and the oracle folds the same blocks from the genesis block.

interface Coin {
  txid: string
  index: number
  sats: bigint
  seed: string
}

const START_HEIGHT = 100
const MATURE = 101
const COINS = 60
const COIN_SATS = 1_000_000n
const FEE_SATS = 500n
const FULL_OF = 300
const random = dice(5)

const directory = temporaryDirectory()
let core: Core
let node: ReturnType<typeof openBitcoind>
let lmdb: LmdbStore
let index: CircleIndex
let requests = 0
let coins: Coin[] = []

const scriptOf = (seed: string) => Buffer.from(walletOf('p2tr', seed).scriptHex, 'hex')
const rawScript = (script: Uint8Array) => `raw(${Buffer.from(script).toString('hex')})`
const mark = (): Uint8Array => Buffer.from(`6a254349524301${random.hex(32)}`, 'hex')

beforeAll(async () => {
  core = await prepareCore({ args: ['-txindex=1', '-rest=1'] })
  await core.start()
  node = openBitcoind({
    url: core.url,
    credentials: { cookieFile: core.cookieFile },
    network: 'regtest',
    mempoolPollMs: 100,
    clock: systemClock,
    onRequest: () => {
      requests += 1
    },
  })
  await core.rpc('generatetodescriptor', MATURE, rawScript(scriptOf('miner')))
  lmdb = await LmdbStore.open(directory.path)
  index = await openIndex()
  coins = await fund(1, COINS)
})
afterAll(async () => {
  await lmdb?.close()
  await node?.close()
  await core?.close()
  directory.drop()
})

const openIndex = (): Promise<CircleIndex> =>
  openCircleIndex({
    store: openCircleStore(lmdb),
    settings: { network: 'regtest', startHeight: START_HEIGHT },
    prevouts: node.prevouts,
  })

function signed(
  inputs: readonly Coin[],
  outputs: readonly { script: Uint8Array; sats: bigint }[],
): Transaction {
  const transaction = new Transaction({ allowUnknownOutputs: true })
  for (const { txid, index: vout, sats, seed } of inputs) {
    const wallet = walletOf('p2tr', seed)
    transaction.addInput({
      txid,
      index: vout,
      witnessUtxo: { script: Buffer.from(wallet.scriptHex, 'hex'), amount: sats },
      ...wallet.fields,
    })
  }
  for (const { script, sats } of outputs) transaction.addOutput({ script, amount: sats })
  for (const seed of new Set(inputs.map((coin) => coin.seed))) {
    transaction.sign(walletOf('p2tr', seed).secrets[0]!)
  }
  transaction.finalize()
  return transaction
}

/** Every member gets its coin back, less its share of the fee. */
function circle(members: readonly Coin[], context = mark()): { hex: string; coins: Coin[] } {
  const made = members.map(({ sats, seed }) => ({ sats: sats - FEE_SATS, seed }))
  const transaction = signed(members, [
    ...made.map(({ sats, seed }) => ({ script: scriptOf(seed), sats })),
    { script: context, sats: 0n },
  ])
  const coinsMade = made.map((coin, at) => ({ ...coin, txid: transaction.id, index: at }))
  return { hex: transaction.hex, coins: coinsMade }
}

/** One output for all: not a circle. */
const closing = (inputs: readonly Coin[]): string => {
  const sats = inputs.reduce((sum, coin) => sum + coin.sats, -FEE_SATS)
  return signed(inputs, [{ script: scriptOf('closed'), sats }]).hex
}

const block = (...transactions: readonly string[]): Promise<unknown> =>
  core.rpc('generateblock', rawScript(Buffer.from(`04${random.hex(4)}`, 'hex')), transactions)

/** Coins from the coinbase of a block. */
async function fund(height: number, count: number): Promise<Coin[]> {
  const hash = String(await core.rpc('getblockhash', height))
  const coinbase = z
    .object({ tx: z.array(z.object({ txid: z.string() })) })
    .parse(await core.rpc('getblock', hash, 2)).tx[0]!
  const seeds = Array.from({ length: count }, (_, at) => `member/${at}`)
  const funding = signed(
    [{ txid: coinbase.txid, index: 0, sats: 5_000_000_000n, seed: 'miner' }],
    seeds.map((seed) => ({ script: scriptOf(seed), sats: COIN_SATS })),
  )
  await block(funding.hex)
  return seeds.map((seed, at) => ({ txid: funding.id, index: at, sats: COIN_SATS, seed }))
}

/** Follows the node to its tip, as the service does. */
async function follow(): Promise<void> {
  const best = String(await core.rpc('getbestblockhash'))
  const level = new AbortController()
  await followBlocks(
    {
      source: node,
      fold: index,
      clock: systemClock,
      onNews: (news) => {
        if (news.kind === 'level' && index.tip()?.hash === best) level.abort()
      },
    },
    AbortSignal.any([level.signal, AbortSignal.timeout(60_000)]),
  )
  expect(index.tip()?.hash).toBe(best)
}

async function refolded(): Promise<CircleSnapshot> {
  const height = Number(await core.rpc('getblockcount'))
  const blocks: Uint8Array[] = []
  for (let at = 0; at <= height; at++) {
    const hash = String(await core.rpc('getblockhash', at))
    blocks.push(Buffer.from(String(await core.rpc('getblock', hash, 0)), 'hex'))
  }
  return refoldCircles(blocks, START_HEIGHT)
}

/** Index and oracle, byte for byte; returns their common result. */
async function agreed(): Promise<CircleSnapshot> {
  await follow()
  const expected = await refolded()
  expect(bytesOf(index)).toBe(canonicalize(expected))
  expect(verifySnapshot(Buffer.from(bytesOf(index)))).toMatchObject({
    ok: true,
    stateHash: index.state().stateHash,
  })
  return expected
}

const numbers = ({ revision, circles, lineages, edges }: CircleSnapshot) => ({
  revision,
  circles: circles.length,
  active: lineages.filter(({ status }) => status === 'active').length,
  closed: lineages.filter(({ status }) => status === 'closed').length,
  edges: edges.length,
})

/**
 * Replaces the last blocks by one more, empty ones: their transactions are in the mempool again.
 */
async function reorg(depth: number): Promise<void> {
  const height = Number(await core.rpc('getblockcount'))
  await core.rpc('invalidateblock', await core.rpc('getblockhash', height - depth + 1))
  for (let left = depth + 1; left > 0; left--) await block()
}

test('circles of 2, 3 and 16 members, chains in a block, near misses and closings', async () => {
  expect(numbers(await agreed())).toMatchObject({ revision: 0, circles: 0 })

  const two = circle(coins.slice(0, 2))
  const three = circle(coins.slice(2, 5))
  const sixteen = circle(coins.slice(5, 21))
  await block(two.hex, three.hex, sixteen.hex)
  expect(numbers(await agreed())).toEqual({
    revision: 3,
    circles: 3,
    active: 21,
    closed: 0,
    edges: 0,
  })

  // Two that continue and two new ones; then all of them once more in the same block.
  const mixed = circle([...two.coins, ...coins.slice(21, 23)])
  const again = circle(mixed.coins)
  await block(mixed.hex, again.hex)
  expect(numbers(await agreed())).toEqual({
    revision: 5,
    circles: 5,
    active: 23,
    closed: 0,
    edges: 6,
  })

  // Without a mark, with another version, or alone: the first closes what it spends.
  const unmarked = signed(
    three.coins.slice(0, 2),
    three.coins
      .slice(0, 2)
      .map(({ sats, seed }) => ({ script: scriptOf(seed), sats: sats - 500n })),
  )
  const otherVersion = circle(
    coins.slice(23, 25),
    Buffer.from(`6a254349524302${random.hex(32)}`, 'hex'),
  )
  const alone = circle(coins.slice(25, 26))
  await block(unmarked.hex, otherVersion.hex, alone.hex)
  await block(closing([three.coins[2]!, sixteen.coins[0]!]))
  expect(numbers(await agreed())).toEqual({
    revision: 7,
    circles: 5,
    active: 19,
    closed: 4,
    edges: 6,
  })
  for (let at = 26; at < 44; at += 3) await block(circle(coins.slice(at, at + 3)).hex)
  expect(numbers(await agreed())).toMatchObject({ revision: 13, circles: 11 })
})

test.each([1, 3, 10])('a reorganisation of %i blocks', async (depth) => {
  const before = await agreed()
  const hash = index.state().stateHash
  await reorg(depth)
  const after = await agreed()
  expect(after.revision).toBeLessThan(before.revision)
  expect(index.state().stateHash).not.toBe(hash)

  // A restarted process is where the last one was; then what was dropped is mined again.
  const restarted = await openIndex()
  expect(bytesOf(restarted)).toBe(bytesOf(index))
  index = restarted
  await core.rpc('generatetodescriptor', 1, rawScript(scriptOf('miner')))
  const mined = await agreed()
  expect(numbers(mined)).toEqual(numbers(before))
})

test('a block with hundreds of circles: their prevouts come in many small requests', async () => {
  const before = numbers(await agreed())
  const members = await fund(2, 2 * FULL_OF)
  const made = Array.from({ length: FULL_OF }, (_, at) => circle(members.slice(2 * at, 2 * at + 2)))
  await block(...made.map(({ hex }) => hex))
  expect(numbers(await agreed())).toMatchObject({
    revision: before.revision + FULL_OF,
    circles: before.circles + FULL_OF,
  })
  const hash = toBlockHash(String(await core.rpc('getbestblockhash')))
  const txids = made.map(({ coins: [coin] }) => toTxid(coin?.txid ?? ''))
  requests = 0
  expect((await node.prevouts(hash, txids))?.size).toBe(FULL_OF)
  expect(requests).toBeGreaterThan(FULL_OF / 16)
})

test('a block comes by REST as by RPC, and what REST does not have is requested by RPC', async () => {
  const options = { url: core.url, clock: systemClock, timeoutMs: 10_000, onRequest: () => {} }
  const rest = openRest(options)
  const hash = (await node.blockHash(START_HEIGHT)) ?? toBlockHash('')
  const hex = await core.rpc('getblock', hash, 0)
  expect(await rest.block(toBlockHash('f'.repeat(64)))).toBeNull()
  expect(Buffer.from((await rest.block(hash)) ?? []).toString('hex')).toBe(hex)
  expect(Buffer.from((await node.rawBlock(hash)) ?? []).toString('hex')).toBe(hex)
  expect(await node.rawBlock(toBlockHash('f'.repeat(64)))).toBeNull()
  await rest.close()
})
