import { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBlock } from '../../src/domain/chain/raw-block.ts'
import { readHeader } from '../../src/domain/dispute/block-header.ts'
import { hasProofOfWork } from '../../src/domain/dispute/block-work.ts'
import { readMerkleProof } from '../../src/domain/dispute/merkle-proof.ts'
import type { BlockSource, FullNode } from '../../src/ports/authorities/full-node.ts'
import type { ChainDriver, OpenChain } from '../support/chain/chain-driver.ts'
import { type Coin, coinOf, openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { toAnyHash, toBlockHash, toTxid } from '../support/ids.ts'
import { acceptanceContract } from './full-node-acceptance.ts'

export interface ContractChain {
  driver: ChainDriver
  node: FullNode & BlockSource
  wallet: Wallet
}

const UNKNOWN = toAnyHash('f'.repeat(64))
/** An unrelated script. */
const SOMEBODY = `0014${'11'.repeat(20)}`

/** What every `FullNode` answers: recorded from Bitcoin Core 31.99. */
export function fullNodeContract(name: string, open: OpenChain): void {
  describe(`FullNode/${name}`, () => {
    const chain = {} as ContractChain
    beforeAll(async () => {
      chain.driver = await open()
      chain.node = chain.driver.node
      chain.wallet = await openWallet(chain.driver, 80)
    })
    afterAll(() => chain.driver?.close())

    blocksContract(chain)
    outputsContract(chain)
    mempoolContract(chain)
    acceptanceContract(chain)
    reorgContract(chain)
  })
}

/** Spends a coin of the wallet into one output of its own. */
export const spend = ({ wallet }: ContractChain, coin: Coin, feeSats = 1_000n): Transaction =>
  wallet.sign({
    inputs: [coin],
    outputs: [txOut(wallet.scriptHex, BigInt(coin.output.valueSats) - feeSats)],
  })

const submit = ({ driver }: ContractChain, transaction: Transaction): Promise<string> =>
  driver.submit(transaction.toHex())

function blocksContract(chain: ContractChain): void {
  test('chain: the tip, with its times, on the network asked for', async () => {
    const [hash] = await chain.driver.mine(1)
    const { network, tip, ...status } = await chain.node.chain()
    expect(network).toBe('regtest')
    expect(tip.hash).toBe(hash)
    expect(tip.medianTime).toBeLessThanOrEqual(tip.time)
    expect(status).toMatchObject({
      initialBlockDownload: false,
      mempoolLoaded: true,
      prunedBelow: 0,
    })
    expect(status.version).not.toBe('')
  })

  test('blockHash: by height of the best chain, null above the tip', async () => {
    const { tip } = await chain.node.chain()
    expect(await chain.node.blockHash(tip.height)).toBe(tip.hash)
    expect(await chain.node.blockHash(tip.height + 1)).toBeNull()
  })

  test('blockHashes: the same for many, in order', async () => {
    const { tip } = await chain.node.chain()
    const heights = [tip.height + 1, tip.height, 0]
    const one = await Promise.all(heights.map((height) => chain.node.blockHash(height)))
    expect(await chain.node.blockHashes(heights)).toEqual(one)
    expect(one[0]).toBeNull()
    expect(await chain.node.blockHashes([])).toEqual([])
  })

  test('header: linked to its predecessor, null for a hash that was never seen', async () => {
    const { tip } = await chain.node.chain()
    const header = await chain.node.header(tip.hash)
    expect(header).toEqual({
      height: tip.height,
      hash: tip.hash,
      prevHash: await chain.node.blockHash(tip.height - 1),
      time: tip.time,
      medianTime: tip.medianTime,
      onBestChain: true,
    })
    const genesis = await chain.node.blockHash(0)
    expect((await chain.node.header(genesis ?? toBlockHash('')))?.prevHash).toBeNull()
    expect(await chain.node.header(UNKNOWN)).toBeNull()
  })

  test('block: every transaction whole, the coinbase first, null for an unknown hash', async () => {
    const payment = chain.wallet.pay([txOut(SOMEBODY, 5_000n)])
    const hash = await chain.driver.mineExactly([payment.toHex()])
    const block = await chain.node.block(hash)
    const { tip } = await chain.node.chain()
    expect(block).toMatchObject({ height: tip.height, hash, time: tip.time })
    expect(block?.prevHash).toBe(await chain.node.blockHash(tip.height - 1))
    expect(block?.transactions).toHaveLength(2)
    const [coinbase, second] = block?.transactions ?? []
    expect(Transaction.fromHex(coinbase?.hex ?? '').isCoinbase()).toBe(true)
    expect(second).toEqual({ txid: payment.getId(), hex: payment.toHex() })
    expect(await chain.node.block(UNKNOWN)).toBeNull()
  })

  test('merkleProof: of each transaction of a block under its header, null where it is not', async () => {
    const payments = [1n, 2n, 3n, 4n].map((n) => chain.wallet.pay([txOut(SOMEBODY, 5_000n + n)]))
    const hash = await chain.driver.mineExactly(payments.map((payment) => payment.toHex()))
    const block = await chain.node.block(hash)
    const [header = ''] = await chain.node.rawHeaders([hash])
    expect(block?.transactions).toHaveLength(5)
    for (const { txid } of block?.transactions ?? []) {
      const proof = (await chain.node.merkleProof(txid, hash)) ?? ''
      expect(proof.slice(0, 160)).toBe(header)
      const read = readMerkleProof(Buffer.from(proof, 'hex'))
      expect(read.txids).toEqual([txid])
      expect(read.header).toMatchObject({ hash, prevHash: block?.prevHash, time: block?.time })
      expect(hasProofOfWork(read.header, 'regtest')).toBe(true)
    }
    const [{ txid = '' } = {}] = block?.transactions ?? []
    expect(
      await chain.node.merkleProof(toTxid(txid), block?.prevHash ?? toBlockHash('')),
    ).toBeNull()
    expect(await chain.node.merkleProof(toTxid(txid), UNKNOWN)).toBeNull()
  })

  test('rawHeaders: 80 bytes each in order, null for a hash that was never seen', async () => {
    const { tip } = await chain.node.chain()
    const [known, unknown] = await chain.node.rawHeaders([tip.hash, UNKNOWN])
    expect(readHeader(Buffer.from(known ?? '', 'hex'))).toMatchObject({
      hash: tip.hash,
      time: tip.time,
      prevHash: await chain.node.blockHash(tip.height - 1),
    })
    expect(unknown).toBeNull()
    expect(await chain.node.rawHeaders([])).toEqual([])
  })

  test('rawBlock: the bytes of the same block, null for an unknown hash', async () => {
    const payment = chain.wallet.pay([txOut(SOMEBODY, 5_000n)])
    const hash = await chain.driver.mineExactly([payment.toHex()])
    const read = readBlock((await chain.node.rawBlock(hash)) ?? new Uint8Array())
    const block = await chain.node.block(hash)
    expect(block).toMatchObject({ hash: read.hash, prevHash: read.prevHash, time: read.time })
    expect(read.transactions.map(({ txid }) => txid)).toEqual(
      block?.transactions.map(({ txid }) => txid),
    )
    expect(await chain.node.rawBlock(UNKNOWN)).toBeNull()
  })

  test('prevouts: what each input spends, null where the block has no such transaction', async () => {
    const { node, wallet, driver } = chain
    const coins = [
      await wallet.fund(wallet.scriptHex, 50_000n),
      await wallet.fund(wallet.scriptHex, 60_001n),
    ]
    await driver.mine(1)
    const [first, second] = coins.map((coin) => spend(chain, coin))
    const hash = await driver.mineExactly([first?.toHex() ?? '', second?.toHex() ?? ''])
    const txids = [second, first].map((made) => toTxid(made?.getId() ?? ''))
    const spent = (valueSats: string) => [{ valueSats, scriptHex: wallet.scriptHex }]
    expect(await node.prevouts(hash, txids)).toEqual(
      new Map([
        [txids[0], spent('60001')],
        [txids[1], spent('50000')],
      ]),
    )
    expect(await node.prevouts(hash, [UNKNOWN])).toBeNull()
    expect(await node.prevouts(UNKNOWN, txids)).toBeNull()
    await driver.invalidate(hash)
    expect(await node.prevouts(hash, txids)).toHaveProperty('size', 2)
    await driver.reconsider(hash)
  })

  test('block: genesis has one transaction', async () => {
    const block = await chain.node.block((await chain.node.blockHash(0)) ?? toBlockHash(''))
    expect(block?.prevHash).toBeNull()
    expect(block?.transactions.map(({ txid }) => txid)).toEqual([
      '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    ])
  })

  test('transaction: in the mempool, in its block, in the block named, else null', async () => {
    const { node, wallet, driver } = chain
    const payment = wallet.pay([txOut(SOMEBODY, 5_000n)])
    const txid = toTxid(payment.getId())
    expect(await node.transaction(txid)).toBeNull()
    await submit(chain, payment)
    expect(await node.transaction(txid)).toEqual({ txid, hex: payment.toHex(), blockHash: null })
    const [hash = ''] = await driver.mine(1)
    const mined = { txid, hex: payment.toHex(), blockHash: hash }
    expect(await node.transaction(txid)).toEqual(mined)
    expect(await node.transaction(txid, toBlockHash(hash))).toEqual(mined)
    expect(await node.transaction(UNKNOWN, toBlockHash(hash))).toBeNull()
    expect(await node.transaction(txid, UNKNOWN)).toBeNull()
    const [next] = await driver.mine(1)
    expect(await node.transaction(txid, next)).toBeNull()
  })
}

function outputsContract(chain: ContractChain): void {
  test('outputAtTip: the same as chain and output, of one moment', async () => {
    const { node, wallet } = chain
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    await chain.driver.mine(1)
    for (const outpoint of [coin.outpoint, { txid: UNKNOWN, vout: 0 }]) {
      const [status, output] = [await node.chain(), await node.output(outpoint)]
      expect(await node.outputAtTip(outpoint)).toEqual({ chain: status, output })
    }
  })

  test('output: unspent from the mempool on, counting confirmations', async () => {
    const { node, wallet, driver } = chain
    const coin = await wallet.fund(wallet.scriptHex, 7_777n)
    const before = await node.chain()
    expect(await node.output(coin.outpoint)).toEqual({
      status: 'unspent',
      output: { valueSats: '7777', scriptHex: wallet.scriptHex },
      coinbase: false,
      confirmations: 0,
      bestBlock: before.tip.hash,
    })
    await driver.mine(1)
    expect(await node.output(coin.outpoint)).toMatchObject({ confirmations: 1 })
    const [, tip] = await driver.mine(2)
    expect(await node.output(coin.outpoint)).toMatchObject({ confirmations: 3, bestBlock: tip })
  })

  test('output: spent by the mempool while the chain still has it, then absent', async () => {
    const { node, wallet, driver } = chain
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    await driver.mine(1)
    const spender = spend(chain, coin)
    await submit(chain, spender)
    expect(await node.output(coin.outpoint)).toEqual({
      status: 'spent-in-mempool',
      output: coin.output,
      coinbase: false,
      confirmations: 1,
      bestBlock: (await node.chain()).tip.hash,
    })
    await driver.mine(1)
    expect(await node.output(coin.outpoint)).toEqual({ status: 'absent' })
  })

  test('output: made and spent within the mempool is absent', async () => {
    const coin = await chain.wallet.fund(chain.wallet.scriptHex, 50_000n)
    await submit(chain, spend(chain, coin))
    expect(await chain.node.output(coin.outpoint)).toEqual({ status: 'absent' })
  })

  test('output: a coinbase says so', async () => {
    const [hash = ''] = await chain.driver.mine(1)
    const coinbase = (await chain.node.block(toBlockHash(hash)))?.transactions[0]
    const outpoint = { txid: coinbase?.txid ?? toTxid(''), vout: 0 }
    expect(await chain.node.output(outpoint)).toMatchObject({
      status: 'unspent',
      coinbase: true,
      confirmations: 1,
    })
  })

  test('output: never there, not among the outputs, unspendable: absent', async () => {
    const { node, wallet, driver } = chain
    const payment = wallet.pay([txOut('6a0464617461', 0n)])
    await submit(chain, payment)
    await driver.mine(1)
    const txid = toTxid(payment.getId())
    const absent = [
      { txid: UNKNOWN, vout: 0 },
      { txid, vout: 0 },
      { txid, vout: 2 },
      { txid, vout: 0x7fffffff },
      { txid, vout: 0x80000000 },
      { txid, vout: 0xffffffff },
      { txid: toTxid('4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'), vout: 0 },
    ]
    for (const outpoint of absent)
      expect(await node.output(outpoint), JSON.stringify(outpoint)).toEqual({ status: 'absent' })
  })

  test('outputs: one answer for each, in order', async () => {
    const { node, wallet } = chain
    const coin = await wallet.fund(wallet.scriptHex, 1_234n)
    const asked = [{ txid: UNKNOWN, vout: 0 }, coin.outpoint, { txid: UNKNOWN, vout: 0xffffffff }]
    const answers = await node.outputs(asked)
    expect(answers.map(({ status }) => status)).toEqual(['absent', 'unspent', 'absent'])
    expect(answers[1]).toEqual(await node.output(coin.outpoint))
    expect(await node.outputs([])).toEqual([])
  })

  test('spenders: the mempool names its own, the chain its own', async () => {
    const { node, wallet, driver } = chain
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    const idle = await wallet.fund(wallet.scriptHex, 50_000n)
    const spender = spend(chain, coin)
    const txid = await submit(chain, spender)
    const asked = [idle.outpoint, coin.outpoint, { txid: UNKNOWN, vout: 0x80000000 }]
    expect(await node.mempoolSpenders(asked)).toEqual([null, txid, null])
    expect(await node.mempoolSpenders([])).toEqual([])
    expect(await node.confirmedSpender(coin.outpoint)).toBeNull()

    const [blockHash] = await driver.mine(1)
    expect(await node.mempoolSpenders(asked)).toEqual([null, null, null])
    expect(await node.confirmedSpender(coin.outpoint)).toEqual({ txid, blockHash })
    expect(await node.confirmedSpender(idle.outpoint)).toBeNull()
    expect(await node.confirmedSpender({ txid: UNKNOWN, vout: 0x80000000 })).toBeNull()
  })
}

function mempoolContract(chain: ContractChain): void {
  test('mempool: the sequence grows by one for each that enters and each that leaves', async () => {
    const { node, wallet, driver } = chain
    await driver.mine(1)
    const empty = await node.mempool()
    expect([...empty.txids]).toEqual([])

    const parent = await wallet.fund(wallet.scriptHex, 50_000n)
    const child = spend(chain, parent)
    await submit(chain, child)
    const full = await node.mempool()
    expect([...full.txids].sort()).toEqual([parent.outpoint.txid, child.getId()].sort())
    expect(full.sequence).toBe(empty.sequence + 2)

    await submit(chain, spend(chain, parent, 2_000n))
    expect((await node.mempool()).sequence).toBe(empty.sequence + 4)
    await driver.mine(1)
    const mined = await node.mempool()
    expect([...mined.txids]).toEqual([])
    expect(mined.sequence).toBe(empty.sequence + 6)
  })

  test('mempoolTransactions: only those that are there now', async () => {
    const { node, wallet, driver } = chain
    const mined = wallet.pay([txOut(SOMEBODY, 5_000n)])
    await submit(chain, mined)
    await driver.mine(1)
    const waiting = wallet.pay([txOut(SOMEBODY, 5_000n)])
    await submit(chain, waiting)
    const txid = toTxid(waiting.getId())
    const found = await node.mempoolTransactions([UNKNOWN, toTxid(mined.getId()), txid])
    expect([...found]).toEqual([[txid, { txid, hex: waiting.toHex() }]])
    expect((await node.mempoolTransactions([])).size).toBe(0)
  })

  test('replacement: a higher fee takes the place of what spends the same, signalled or not', async () => {
    const { node, wallet, driver } = chain
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    await driver.mine(1)
    const final = { ...coin, sequence: 0xffffffff }
    const first = spend(chain, final)
    const child = spend(chain, coinOf(first, 0))
    const second = spend(chain, final, 20_000n)
    for (const transaction of [first, child, second]) await submit(chain, transaction)
    expect([...(await node.mempool()).txids]).toEqual([second.getId()])
    expect(await node.mempoolSpenders([coin.outpoint])).toEqual([second.getId()])
    await expect(submit(chain, first)).rejects.toThrow(/insufficient fee/)
  })

  test('eviction: a block that spends the same drops the conflict and its children', async () => {
    const { node, wallet, driver } = chain
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    await driver.mine(1)
    const loser = spend(chain, coin)
    await submit(chain, loser)
    await submit(chain, spend(chain, coinOf(loser, 0)))
    const winner = spend(chain, coin, 2_000n)
    await driver.mineExactly([winner.toHex()])
    expect([...(await node.mempool()).txids]).toEqual([])
    expect(await node.output(coinOf(winner, 0).outpoint)).toMatchObject({ confirmations: 1 })
    expect(await node.transaction(toTxid(loser.getId()))).toBeNull()
    await expect(submit(chain, loser)).rejects.toThrow('bad-txns-inputs-missingorspent')
  })

  test('restart: the mempool is kept, its sequence starts anew', async () => {
    const { node, wallet, driver } = chain
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    const before = await node.mempool()
    await driver.restartNode()
    const after = await node.mempool()
    expect([...after.txids]).toEqual([coin.outpoint.txid])
    expect(after.sequence).toBeLessThan(before.sequence)
    expect(await node.output(coin.outpoint)).toMatchObject({ confirmations: 0 })
  })

  test('changes: at once, again soon, and no more once aborted', async () => {
    const stop = new AbortController()
    let seen = 0
    for await (const _ of chain.node.changes(stop.signal)) {
      seen++
      if (seen === 1) await chain.wallet.fund(chain.wallet.scriptHex, 5_000n)
      if (seen === 2) stop.abort()
    }
    expect(seen).toBe(2)
  })
}

function reorgContract(chain: ContractChain): void {
  test('a block that leaves the chain is stale, not unknown, and gives its transactions back', async () => {
    const { node, wallet, driver } = chain
    await driver.mine(1)
    const coin = await wallet.fund(wallet.scriptHex, 50_000n)
    await driver.mine(1)
    const spender = spend(chain, coin)
    await submit(chain, spender)
    const [stale = ''] = await driver.mine(1)
    const coinbase = (await node.block(toBlockHash(stale)))?.transactions[0]?.txid ?? toTxid('')
    const before = await node.mempool()

    await driver.invalidate(stale)
    expect((await node.header(toBlockHash(stale)))?.onBestChain).toBe(false)
    expect((await node.block(toBlockHash(stale)))?.transactions).toHaveLength(2)
    expect(await node.output(coin.outpoint)).toMatchObject({ status: 'spent-in-mempool' })
    expect(await node.confirmedSpender(coin.outpoint)).toBeNull()
    const after = await node.mempool()
    expect([...after.txids]).toEqual([spender.getId()])
    expect(after.sequence).toBe(before.sequence + 1)
    expect(await node.transaction(toTxid(spender.getId()))).toMatchObject({ blockHash: null })
    expect(await node.transaction(toTxid(spender.getId()), toBlockHash(stale))).toMatchObject({
      blockHash: stale,
    })
    expect(await node.transaction(coinbase)).toBeNull()
    expect(await node.output({ txid: coinbase, vout: 0 })).toEqual({ status: 'absent' })

    await driver.reconsider(stale)
    expect((await node.chain()).tip.hash).toBe(stale)
    expect([...(await node.mempool()).txids]).toEqual([])
  })

  test.each([1, 2, 6])(
    'reorg of %i: a longer branch takes over, the old one stays readable',
    async (depth) => {
      const { node, wallet, driver } = chain
      await driver.mine(1)
      const fork = await node.chain()
      const payment = wallet.pay([txOut(SOMEBODY, 9_000n)])
      await submit(chain, payment)
      const old = await driver.mine(depth)
      await driver.invalidate(old[0] ?? '')
      expect((await node.chain()).tip.hash).toBe(fork.tip.hash)
      for (let i = 0; i <= depth; i++) await driver.mineExactly([])

      const { tip } = await node.chain()
      expect(tip.height).toBe(fork.tip.height + depth + 1)
      let walked = await node.header(old.at(-1) ?? toBlockHash(''))
      while (walked !== null && !walked.onBestChain)
        walked = await node.header(walked.prevHash ?? toBlockHash(''))
      expect(walked?.hash).toBe(fork.tip.hash)
      expect([...(await node.mempool()).txids]).toEqual([payment.getId()])
      expect(await node.output({ txid: toTxid(payment.getId()), vout: 0 })).toMatchObject({
        status: 'unspent',
        confirmations: 0,
      })
    },
  )
}
