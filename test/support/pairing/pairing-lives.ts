import type { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import type { PlacedBlock } from '../../../src/ports/folds/block-fold.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  move,
  OP_TRUE,
  p2wsh,
  pair,
  transactionOf,
  unpair,
} from './pairing-blocks.ts'

/** One transaction: what it does, how many coins it spends, and which. */
export interface DrawnTransaction {
  does: 'create' | 'move' | 'pair' | 'unpair' | 'spend' | 'two markers'
  spends: number
  pick: number
  label: string
  script: number
}

const drawnTransaction: fc.Arbitrary<DrawnTransaction> = fc.record({
  does: fc.oneof(
    { weight: 4, arbitrary: fc.constant('create' as const) },
    { weight: 3, arbitrary: fc.constant('pair' as const) },
    { weight: 6, arbitrary: fc.constantFrom('move' as const, 'unpair' as const) },
    { weight: 1, arbitrary: fc.constantFrom('spend' as const, 'two markers' as const) },
  ),
  spends: fc.integer({ min: 1, max: 3 }),
  pick: fc.nat({ max: 1_000 }),
  label: fc.string({ unit: fc.constantFrom('a', 'B', 'b', '1', '.'), maxLength: 7 }),
  script: fc.nat({ max: 4 }),
})

/** Blocks of some transactions each, empty ones among them. */
export const drawnBlocks = (longest = 8): fc.Arbitrary<DrawnTransaction[][]> =>
  fc.array(fc.array(drawnTransaction, { maxLength: 6, size: 'large' }), {
    minLength: 1,
    maxLength: longest,
  })

/** How far back among the coins the next one may be: a new coin is likely to carry an object. */
const REACH = 4

/** The chain drawn: what is spent was created before, possibly in the same block. */
export function mineDrawn(drawn: readonly DrawnTransaction[][], start = 0): PlacedBlock[] {
  const chain = new LittleChain(start)
  const coins: string[] = []
  let made = 0
  const transaction = (draw: DrawnTransaction): Transaction => {
    made += 1
    const wanted = draw.does === 'create' ? draw.spends % 2 : draw.spends
    const spends = [elsewhere(made)]
    for (let left = wanted; left > 0 && coins.length > 0; left -= 1) {
      const [coin = ''] = coins.splice(-1 - (draw.pick % Math.min(coins.length, REACH)), 1)
      spends.push(coin)
    }
    const scripts = [draw.script, draw.script + 1].map(p2wsh)
    const tx = transactionOf(spends, [...scripts, ...markersOf(draw, made), OP_TRUE])
    coins.push(...(draw.does === 'create' ? [draw.pick % 2] : [0, 1]).map((vout) => at(tx, vout)))
    return tx
  }
  for (const block of drawn) chain.mine(...block.map(transaction))
  return chain.blocks
}

function markersOf({ does, pick, label }: DrawnTransaction, made: number): Buffer[] {
  const vout = pick % 2
  switch (does) {
    case 'create':
      return [create(vout, hashBytes(made), label)]
    case 'move':
      return [pick % 3 !== 0 ? move([1, vout]) : move([1, vout], [2, 1 - vout])]
    case 'pair':
      return [pair(1, 2, vout, 1 - vout)]
    case 'unpair':
      return [unpair(pick % 5 === 0 ? 2 : 1, vout)]
    case 'two markers':
      return [unpair(1, 0), unpair(1, 0)]
    case 'spend':
      return []
  }
}
