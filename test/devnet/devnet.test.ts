import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Block, Transaction } from 'bitcoinjs-lib'
import { afterEach, describe, expect, test } from 'vitest'
import { type Devnet, type DevnetOptions, openDevnet } from '../../src/devnet/devnet.ts'
import type { Txid } from '../../src/schemas/scalars.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { ManualClock } from '../support/manual-clock.ts'

const SCRIPT = `5120${'22'.repeat(32)}`
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const CONTENT = { contentType: 'text/plain', body: Buffer.from('hello'), postage: 10_000n }

const opened: Devnet[] = []
const directories: string[] = []

function open(options: Partial<DevnetOptions> = {}): Devnet {
  const clock = options.clock ?? new ManualClock()
  const devnet = openDevnet({ dataDir: null, network: 'regtest', ...options, clock })
  opened.push(devnet)
  return devnet
}

async function directory(): Promise<string> {
  const made = await mkdtemp(path.join(os.tmpdir(), 'devnet-'))
  directories.push(made)
  return made
}

afterEach(async () => {
  for (const devnet of opened.splice(0)) await devnet.close()
  for (const made of directories.splice(0)) await rm(made, { recursive: true, force: true })
})

/** Everything that node and index answer about the whole chain and some outputs. */
async function answersOf({ node, index }: Devnet, txids: readonly Txid[]) {
  const { tip } = await node.chain()
  const heights = Array.from({ length: tip.height + 1 }, (_, height) => height)
  const outpoints = txids.flatMap((txid) => [0, 1].map((vout) => ({ txid, vout })))
  return {
    hashes: await Promise.all(heights.map((height) => node.blockHash(height))),
    mempool: [...(await node.mempool()).txids].sort(),
    outputs: await node.outputs(outpoints),
    spenders: await Promise.all(outpoints.map((outpoint) => node.confirmedSpender(outpoint))),
    transactions: await Promise.all(txids.map((txid) => node.transaction(txid))),
    status: await index.status(),
    assets: await Promise.all(outpoints.map((one) => index.output(one))),
    inscriptions: await Promise.all(txids.map((txid) => index.inscription(`${txid}i0`))),
  }
}

describe('what people do with it', () => {
  test('fund: an output of that value, confirmed, for a script or a regtest address', async () => {
    const devnet = open()
    const toScript = devnet.fund(SCRIPT, 70_000n)
    const toAddress = devnet.fund(ADDRESS, 5_000n, { confirm: false })
    expect(await devnet.node.outputs([toScript, toAddress])).toMatchObject([
      { output: { valueSats: '70000', scriptHex: SCRIPT }, confirmations: 1 },
      { output: { valueSats: '5000', scriptHex: `0014751e76e8199196d454941c45d1b3a323f1433bd6` } },
    ])
    expect(() => devnet.fund('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 5_000n)).toThrow(
      /nor a regtest address/,
    )
  })

  test('inscribe: an inscription at offset 0, also with a body of several pushes', async () => {
    const devnet = open()
    const body = Buffer.alloc(3_000, 7)
    const small = devnet.inscribe(SCRIPT, CONTENT)
    const large = devnet.inscribe(SCRIPT, { ...CONTENT, body, contentType: 'image/png' })
    expect(await devnet.index.inscription(small.inscriptionId)).toEqual({
      id: small.inscriptionId,
      number: 0,
      satpoint: { outpoint: small.outpoint, offset: '0' },
    })
    expect(await devnet.index.output(large.outpoint)).toEqual({
      indexed: true,
      spent: false,
      inscriptions: [{ id: large.inscriptionId, number: 1, offset: '0' }],
      runes: null,
    })
  })

  test('reorg: the old block is stale, its transactions are unconfirmed again unless they are dropped', async () => {
    const devnet = open()
    const { inscriptionId, outpoint } = devnet.inscribe(SCRIPT, CONTENT)
    const funded = devnet.fund(SCRIPT, 9_000n)
    const before = await devnet.node.chain()
    const { forkHeight, disconnected, connected } = devnet.reorg(2, {
      dropTransactions: [funded.txid],
    })
    expect(forkHeight).toBe(before.tip.height - 2)
    expect(disconnected).toHaveLength(2)
    expect((await devnet.node.chain()).tip.hash).toBe(connected.at(-1))
    expect((await devnet.node.header(disconnected[0] ?? toBlockHash('')))?.onBestChain).toBe(false)
    expect(await devnet.index.inscription(inscriptionId)).toBeNull()
    expect(await devnet.node.outputs([outpoint, funded])).toMatchObject([
      { confirmations: 0 },
      { status: 'absent' },
    ])
    devnet.mine(1)
    expect(await devnet.index.inscription(inscriptionId)).toMatchObject({ number: 0 })
  })

  test('reorg: a branch with other contents; a refused one leaves the chain as it was', async () => {
    const devnet = open()
    const { txid } = devnet.fund(SCRIPT, 9_000n)
    const hex = (await devnet.node.transaction(txid))?.hex ?? ''
    const { connected } = devnet.reorg(1, { blocks: [[], [hex]] })
    expect((await devnet.node.transaction(txid))?.blockHash).toBe(connected[1])

    const before = await devnet.node.chain()
    expect(() => devnet.reorg(1, { blocks: [[hex], [hex]] })).toThrow(/bad-txns/)
    expect((await devnet.node.chain()).tip).toEqual(before.tip)
    expect((await devnet.node.transaction(txid))?.blockHash).toBe(connected[1])
  })

  test('evict: with what spends it', async () => {
    const devnet = open()
    const { outpoint } = devnet.inscribe(SCRIPT, { ...CONTENT, confirm: false })
    const { txids } = await devnet.node.mempool()
    expect(txids).toHaveLength(2)
    devnet.evict([...txids].find((txid) => txid !== outpoint.txid) ?? toTxid(''))
    expect((await devnet.node.mempool()).txids).toEqual([])
  })

  test('the same actions at the same time make the same chain', async () => {
    const play = async (devnet: Devnet) => {
      devnet.inscribe(SCRIPT, CONTENT)
      devnet.reorg(1)
      return (await devnet.node.chain()).tip.hash
    }
    expect(await play(open())).toBe(await play(open()))
  })
})

describe('blocks', () => {
  test('satisfy the rules of regtest: proof of work, BIP34 height, witness commitment', async () => {
    const devnet = open()
    const { txid } = devnet.fund(SCRIPT, 9_000n)
    const found = await devnet.node.transaction(txid)
    const block = await devnet.node.block(found?.blockHash ?? toBlockHash(''))
    expect(await devnet.node.blockHash(0)).toBe(
      '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    )
    const transactions = (block?.transactions ?? []).map(({ hex }) => Transaction.fromHex(hex))
    const [coinbase] = transactions
    expect(Buffer.from(coinbase?.ins[0]?.script ?? []).toString('hex')).toMatch(/^0179/)
    expect(
      Buffer.from(coinbase?.outs.at(-1)?.script ?? [])
        .subarray(6)
        .toString('hex'),
    ).toBe(Buffer.from(Block.calculateMerkleRoot(transactions, true)).toString('hex'))
  })
})

describe('unavailable authorities', () => {
  test('a stopped node answers nothing, a starting one says so, then all is as before', async () => {
    const devnet = open()
    const funded = devnet.fund(SCRIPT, 9_000n, { confirm: false })
    devnet.stopNode()
    await expect(devnet.node.chain()).rejects.toMatchObject({ reason: 'node_unavailable' })
    await expect(devnet.index.output(funded)).rejects.toMatchObject({
      reason: 'asset_index_unreachable',
    })
    expect(() => devnet.mine(1)).toThrow(/stopped/)
    devnet.startNode('warming-up')
    await expect(devnet.node.chain()).rejects.toMatchObject({ reason: 'node_warming_up' })
    devnet.startNode('loading-mempool')
    expect(await devnet.node.chain()).toMatchObject({ mempoolLoaded: false })
    await expect(devnet.node.output(funded)).rejects.toMatchObject({
      reason: 'node_mempool_loading',
    })
    devnet.startNode()
    expect(await devnet.node.output(funded)).toMatchObject({ confirmations: 0 })
    expect((await devnet.node.mempool()).sequence).toBe(2)
  })

  test('an index that is held answers for its own height, and catches up', async () => {
    const devnet = open()
    const { tip } = await devnet.node.chain()
    devnet.holdIndex(tip.height - 5)
    const { inscriptionId } = devnet.inscribe(SCRIPT, CONTENT)
    expect((await devnet.index.status()).tip?.height).toBe(tip.height - 5)
    expect(await devnet.index.inscription(inscriptionId)).toBeNull()
    devnet.holdIndex(null)
    expect((await devnet.index.status()).tip?.height).toBe(tip.height + 1)
    expect(await devnet.index.inscription(inscriptionId)).not.toBeNull()
  })

  test('a reorg deeper than its savepoints ends the index until it is rebuilt', async () => {
    const devnet = open()
    const { version, tip } = await devnet.index.status()
    devnet.reorg(9)
    expect(await devnet.index.status()).toMatchObject({ unrecoverablyReorged: false })
    devnet.mine(20)
    devnet.reorg(19)
    const broken = await devnet.index.status()
    expect(broken).toMatchObject({ unrecoverablyReorged: true, version })
    expect(broken.tip?.height).toBe((tip?.height ?? 0) + 21)
    expect((await devnet.node.header(broken.tip?.hash ?? toBlockHash('')))?.onBestChain).toBe(false)
    devnet.rebuildIndex()
    const rebuilt = await devnet.index.status()
    expect(rebuilt.unrecoverablyReorged).toBe(false)
    expect(rebuilt.version).not.toBe(version)
    expect(rebuilt.tip?.hash).toBe((await devnet.node.chain()).tip.hash)
  })
})

describe('kept in a folder', () => {
  test('every answer is the same after a restart, stale blocks and mempool included', async () => {
    const dataDir = await directory()
    const clock = new ManualClock()
    const devnet = open({ dataDir, clock })
    const { outpoint } = devnet.inscribe(SCRIPT, CONTENT)
    const funded = devnet.fund(SCRIPT, 9_000n)
    const { disconnected } = devnet.reorg(1)
    const waiting = devnet.fund(SCRIPT, 8_000n, { confirm: false })
    const txids = [outpoint.txid, funded.txid, waiting.txid]
    const before = await answersOf(devnet, txids)
    await devnet.close()

    const again = open({ dataDir, clock })
    expect(await answersOf(again, txids)).toEqual(before)
    expect((await again.node.header(disconnected[0] ?? toBlockHash('')))?.onBestChain).toBe(false)
    again.mine(1)
    expect(await again.node.output(waiting)).toMatchObject({ confirmations: 1 })
  })

  test('what was answered persists without a close', async () => {
    const dataDir = await directory()
    const devnet = open({ dataDir })
    const { inscriptionId } = devnet.inscribe(SCRIPT, CONTENT)
    const again = open({ dataDir })
    expect(await again.index.inscription(inscriptionId)).toMatchObject({ number: 0 })
  })

  test('invalidated blocks, a held and a broken index stay so', async () => {
    const dataDir = await directory()
    const devnet = open({ dataDir })
    const { tip } = await devnet.node.chain()
    devnet.holdIndex(tip.height - 3)
    devnet.breakIndex()
    devnet.invalidate(tip.hash)
    await devnet.close()
    const again = open({ dataDir })
    expect(await again.index.status()).toMatchObject({
      unrecoverablyReorged: true,
      tip: { height: tip.height - 3 },
    })
    expect((await again.node.chain()).tip.height).toBe(tip.height - 1)
    again.reconsider(tip.hash)
    expect((await again.node.chain()).tip.hash).toBe(tip.hash)
  })
})

test('200 blocks are mined, and 1,000 saved ones opened, in under a second each', async () => {
  const dataDir = await directory()
  // Of the processor: other tests run in parallel.
  const secondsOf = (action: () => unknown) => {
    const before = process.cpuUsage()
    action()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  expect(secondsOf(() => open({ initialBlocks: 200 }).fund(SCRIPT, 9_000n))).toBeLessThan(1)
  await open({ dataDir, initialBlocks: 1_000 }).close()
  expect(secondsOf(() => open({ dataDir }))).toBeLessThan(1)
})
