import { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChainBlock } from '../../../src/devnet/node/chain.ts'
import { Miner } from '../../../src/devnet/node/miner.ts'
import { RegtestNode, TransactionRefusedError } from '../../../src/devnet/node/regtest-node.ts'
import { type Tx, txOf, wireHash } from '../../../src/devnet/node/tx.ts'
import type { NodeChange } from '../../../src/ports/authorities/full-node.ts'
import type { OutpointText } from '../../../src/schemas/scalars.ts'
import { toOutpointText, toTxid } from '../../support/ids.ts'
import { blockOn, unspentOf } from '../random-chain.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 40)
const MATURE = 106

/** A node, a purse to spend from, and everything that the node pushed. */
class Played {
  readonly node = new RegtestNode()
  readonly miner = new Miner(this.node, () => false)
  readonly heard: NodeChange[] = []
  readonly #invalidated: ChainBlock[] = []

  constructor() {
    const { pushes } = this.node
    const publish = pushes.publish.bind(pushes)
    pushes.publish = (change) => {
      this.heard.push(change)
      publish(change)
    }
    this.mine(MATURE, true)
  }

  /** A refusal is legitimate; anything else is a defect. */
  spend(choice: number, feeSats: number, outputs: number): void {
    const { chain, mempool } = this.node
    const young = [...mempool.entries.values()].flatMap(({ tx }) =>
      tx.raw.outs.map((_, vout) => `${tx.txid}:${vout}`),
    )
    const outpoints = [...young, ...[...chain.coinsOf(this.miner.script)].slice(0, 8)]
    const outpoint = outpoints[choice % outpoints.length] ?? toOutpointText('')
    const coin = mempool.coin(toOutpointText(outpoint), 0) ?? chain.coin(toOutpointText(outpoint))
    if (!coin) return
    const tx = this.#signed(outpoint, coin.valueSats, BigInt(feeSats), outputs)
    try {
      this.node.submit(tx)
    } catch (error) {
      if (!(error instanceof TransactionRefusedError)) throw error
    }
  }

  mine(blocks: number, empty: boolean): void {
    for (let mined = 0; mined < blocks; mined++) {
      const chosen = empty ? [] : this.node.blockTransactions()
      const fees = chosen.reduce((sum, { feeSats }) => sum + feeSats, 0n)
      this.#accept(
        this.node.chain.tip,
        chosen.map(({ tx }) => tx),
        fees,
      )
    }
  }

  /** A longer branch from below, with the first of the old transactions at its end. */
  fork(depth: number): void {
    const { chain } = this.node
    const old = chain.at(chain.tip.height - depth)
    if (!old) return
    const gone = chain.activeAbove(old)
    let parent = old
    for (let height = 0; height < depth; height++) parent = this.#accept(parent, [], 0n)
    this.#accept(parent, gone[0]?.txs.slice(1, 2) ?? [], 0n)
  }

  invalidate(depth: number): void {
    const { chain } = this.node
    const block = chain.at(chain.tip.height - depth + 1)
    if (!block || block.height < MATURE) return
    this.node.invalidate(block)
    this.#invalidated.push(block)
  }

  reconsider(): void {
    const block = this.#invalidated.pop()
    if (block) this.node.reconsider(block)
  }

  evict(choice: number): void {
    const txids = [...this.node.mempool.entries.keys()]
    this.node.evict(txids[choice % txids.length] ?? toTxid(''))
  }

  restart(): void {
    this.node.enter('stopped')
    this.node.enter('ready')
  }

  #accept(parent: ChainBlock, txs: readonly Tx[], fees: bigint): ChainBlock {
    const { chain } = this.node
    return this.node.acceptBlock(blockOn(chain, parent, txs, fees, this.miner.script))
  }

  #signed(outpoint: string, value: bigint, feeSats: bigint, outputs: number): Tx {
    const transaction = new Transaction()
    transaction.version = 2
    transaction.addInput(wireHash(outpoint.slice(0, 64)), Number(outpoint.slice(65)))
    const share = (value - feeSats) / BigInt(outputs)
    for (let vout = 0; vout < outputs; vout++) transaction.addOutput(this.miner.script, share)
    const digest = transaction.hashForWitnessV1(0, [this.miner.script], [value], 0)
    transaction.setWitness(0, [this.miner.schnorr(digest)])
    return txOf(transaction)
  }
}

const step: fc.Arbitrary<(played: Played) => void> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.nat(30), fc.integer({ min: 10, max: 9_000 }), fc.integer({ min: 1, max: 3 }))
      .map(
        ([choice, feeSats, outputs]) =>
          (on: Played) =>
            on.spend(choice, feeSats, outputs),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map((empty) => (on: Played) => on.mine(1, empty)),
  },
  fc.integer({ min: 1, max: 5 }).map((depth) => (on: Played) => on.fork(depth)),
  fc.integer({ min: 1, max: 3 }).map((depth) => (on: Played) => on.invalidate(depth)),
  fc.constant((on: Played) => on.reconsider()),
  fc.nat(9).map((choice) => (on: Played) => on.evict(choice)),
  fc.constant((on: Played) => on.restart()),
)

const valuesOf = ({ node: { chain } }: Played): Map<string, bigint> =>
  new Map([...chain.coins].map(([outpoint, { valueSats }]) => [outpoint, valueSats]))

/** Inputs exist and are spent once; the index of spenders says the same. */
function expectConsistentMempool({ node: { chain, mempool } }: Played): void {
  const spent = new Map<OutpointText, string>()
  for (const { tx } of mempool.entries.values())
    for (const prevout of tx.prevouts) {
      expect(mempool.coin(prevout, 0) ?? chain.coin(prevout), prevout).toBeDefined()
      expect(spent.has(prevout), prevout).toBe(false)
      spent.set(prevout, tx.txid)
    }
  for (const [prevout, txid] of spent) expect(mempool.spender(prevout)).toBe(txid)
}

/** What a pure listener has for the mempool and the tip. */
function heardBy({ node: { chain }, heard }: Played): { mempool: Set<string>; tip: string } {
  let mempool = new Set<string>()
  let tip = chain.at(0)
  for (const change of heard) {
    if (change.kind === 'gap') mempool = new Set()
    else if (change.kind === 'added') mempool.add(change.txid)
    else if (change.kind === 'removed') expect(mempool.delete(change.txid)).toBe(true)
    else if (change.kind === 'connected' || change.kind === 'disconnected') {
      const block = chain.block(change.hash)
      expect(change.kind === 'connected' ? block?.parent : block).toBe(tip)
      if (change.kind === 'connected') for (const { txid } of block?.txs ?? []) mempool.delete(txid)
      tip = (change.kind === 'connected' ? block : block?.parent) ?? undefined
    }
  }
  return { mempool, tip: tip?.hash ?? '' }
}

test('whatever happens, coins are those of the chain and listeners have what the node has', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const played = new Played()
      const { chain, mempool } = played.node
      const base = chain.tip
      const before = valuesOf(played)
      for (const play of steps) {
        play(played)
        expect(valuesOf(played)).toEqual(unspentOf(chain))
        expectConsistentMempool(played)
      }
      expect(heardBy(played)).toEqual({
        mempool: new Set(mempool.entries.keys()),
        tip: chain.tip.hash,
      })
      while (chain.tip !== base && chain.tip.height > 0) chain.disconnect()
      if (chain.tip === base) expect(valuesOf(played)).toEqual(before)
      while (chain.tip.height > 0) chain.disconnect()
      expect(chain.coins.size).toBe(0)
    }),
    { numRuns: RUNS },
  )
})
