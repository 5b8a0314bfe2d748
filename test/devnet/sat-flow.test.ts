import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InscriptionIndex } from '../../src/devnet/index/inscription-index.ts'
import { Chain, type ChainBlock } from '../../src/devnet/node/chain.ts'
import { subsidyAt } from '../../src/devnet/node/regtest.ts'
import type { Tx } from '../../src/devnet/node/tx.ts'
import { blockOn, payment } from './random-chain.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150)
const MATURE = 101
/** Below block 150 regtest and ord agree on the subsidy. */
const MAX_BLOCKS = 40

/** `OP_0 OP_IF "ord" OP_0 "x" OP_ENDIF` as the leaf of a script path. */
const ENVELOPE = [
  new Uint8Array(64),
  Uint8Array.from(Buffer.from('0063036f7264000178' + '68', 'hex')),
  new Uint8Array(33),
]

/** Sats by their ordinal number, the first and the one after the last. */
type Range = readonly [bigint, bigint]

/**
 * The oracle: every output holds ranges of numbered sats, as the ordinal theory counts them, and an
 * inscription is bound to a number. It knows no offsets.
 */
class OrdinalLedger {
  readonly held = new Map<string, readonly Range[]>()
  readonly bound = new Map<string, bigint>()
  #next = 0n

  connect({ height, txs: [coinbase, ...txs] }: ChainBlock): void {
    const fees: Range[] = []
    for (const tx of txs) {
      const ranges = tx.prevouts.flatMap((prevout) => this.#take(prevout))
      this.#bind(tx)
      fees.push(...this.#give(tx, ranges))
    }
    const subsidy = subsidyAt(height)
    const fresh: Range = [this.#next, this.#next + subsidy]
    this.#next += subsidy
    if (coinbase) this.#give(coinbase, [fresh, ...fees])
  }

  /** The output and offset of a numbered sat now; null when no output has it. */
  find(sat: bigint): { outpoint: string; offset: bigint } | null {
    for (const [outpoint, ranges] of this.held) {
      let before = 0n
      for (const [from, to] of ranges) {
        if (from <= sat && sat < to) return { outpoint, offset: before + sat - from }
        before += to - from
      }
    }
    return null
  }

  #inputs: readonly (readonly Range[])[] = []

  #take(outpoint: string): readonly Range[] {
    const ranges = this.held.get(outpoint) ?? []
    this.held.delete(outpoint)
    this.#inputs = [...this.#inputs, ranges]
    return ranges
  }

  /** An envelope inscribes the first sat of its input. */
  #bind(tx: Tx): void {
    let index = 0
    tx.raw.ins.forEach(({ witness }, input) => {
      const first = this.#inputs[input]?.[0]
      if (witness.length > 0 && first) this.bound.set(`${tx.txid}i${index++}`, first[0])
    })
    this.#inputs = []
  }

  #give(tx: Tx, ranges: readonly Range[]): Range[] {
    const left = [...ranges]
    tx.raw.outs.forEach(({ value }, vout) => {
      const given: Range[] = []
      let wanted = value
      while (wanted > 0n) {
        const [from, to] = left.shift() ?? [0n, 0n]
        if (to === from) break
        const end = to - from > wanted ? from + wanted : to
        given.push([from, end])
        if (end < to) left.unshift([end, to])
        wanted -= end - from
      }
      this.held.set(`${tx.txid}:${vout}`, given)
    })
    return left
  }
}

const step = fc.record({
  inputs: fc.array(fc.record({ coin: fc.nat(), inscribes: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  /** Shares of the inputs; what is left is the fee. */
  shares: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 4 }),
  /** The block is mined after this transaction, its coinbase claiming a share of the fees. */
  mines: fc.option(fc.integer({ min: 0, max: 1000 })),
})

/** Turns the drawn numbers into a block's transactions, over what is unspent and mature. */
class Drafts {
  readonly #coins: [string, bigint][]
  readonly txs: Tx[] = []
  fees = 0n

  constructor(coins: readonly [string, bigint][]) {
    this.#coins = [...coins]
  }

  add({ inputs, shares }: { inputs: { coin: number; inscribes: boolean }[]; shares: number[] }) {
    const spent = inputs.flatMap(({ coin, inscribes }) => {
      const [taken] = this.#coins.splice(coin % Math.max(this.#coins.length, 1), 1)
      return taken ? [{ taken, inscribes }] : []
    })
    const total = spent.reduce((sum, { taken: [, value] }) => sum + value, 0n)
    if (total === 0n) return
    let left = total
    const outputs = shares.map((share) => {
      const valueSats = (left * BigInt(share)) / 400n
      left -= valueSats
      return { valueSats }
    })
    const tx = payment({
      inputs: spent.map(({ taken: [outpoint], inscribes }) => ({
        outpoint,
        witness: inscribes ? ENVELOPE : [],
      })),
      outputs,
    })
    this.txs.push(tx)
    this.fees += left
    outputs.forEach(({ valueSats }, vout) => {
      if (valueSats > 0n) this.#coins.push([`${tx.txid}:${vout}`, valueSats])
    })
  }
}

const matureCoins = (chain: Chain): [string, bigint][] =>
  [...chain.coins]
    .filter(([, coin]) => coin.valueSats > 0n)
    .filter(([, coin]) => !coin.coinbase || chain.tip.height + 1 - coin.height >= 100)
    .map(([outpoint, coin]) => [outpoint, coin.valueSats])

function mine(chain: Chain, draft: Drafts, claim: number): ChainBlock {
  const claimed = (draft.fees * BigInt(claim)) / 1000n
  const block = chain.add(blockOn(chain, chain.tip, draft.txs, claimed))
  chain.connect(block)
  return block
}

test('inscriptions lie where ordinal numbers say, in blocks, fees, coinbases and after undo', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: MAX_BLOCKS }), (steps) => {
      const chain = new Chain(() => null)
      const index = new InscriptionIndex()
      const ledger = new OrdinalLedger()
      const follow = (block: ChainBlock) => {
        index.connect(block)
        ledger.connect(block)
      }
      index.connect(chain.tip)
      for (let height = 0; height < MATURE; height++) follow(mine(chain, new Drafts([]), 0))
      const before = new Map([...chain.coins.keys()].map((at) => [at, index.inscriptionsIn(at)]))

      let draft = new Drafts(matureCoins(chain))
      for (const { inputs, shares, mines } of steps) {
        draft.add({ inputs, shares })
        if (mines === null) continue
        follow(mine(chain, draft, mines))
        draft = new Drafts(matureCoins(chain))
      }
      for (const [id, sat] of ledger.bound)
        expect(index.inscription(id)?.satpoint, id).toEqual(ledger.find(sat))

      while (index.tip && index.tip.height > MATURE) index.disconnect()
      for (const id of ledger.bound.keys()) expect(index.inscription(id)).toBeUndefined()
      expect(new Map([...before.keys()].map((at) => [at, index.inscriptionsIn(at)]))).toEqual(
        before,
      )
    }),
    { numRuns: RUNS },
  )
})
