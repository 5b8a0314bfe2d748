import { Transaction } from 'bitcoinjs-lib'
import { buildBlock } from '../../src/devnet/node/build-block.ts'
import type { Chain, ChainBlock } from '../../src/devnet/node/chain.ts'
import { subsidyAt } from '../../src/devnet/node/regtest.ts'
import { type Tx, txOf, wireHash } from '../../src/devnet/node/tx.ts'

/** OP_1: anyone can spend it. */
const ANYONE = Uint8Array.of(0x51)

export interface TestPayment {
  inputs: readonly { outpoint: string; witness?: readonly Uint8Array[] }[]
  /** Values in sats, each paid to `ANYONE` unless a script is given. */
  outputs: readonly { valueSats: bigint; script?: Uint8Array }[]
}

/** A transaction without signatures, for chains that do not check scripts. */
export function payment({ inputs, outputs }: TestPayment): Tx {
  const transaction = new Transaction()
  transaction.version = 2
  inputs.forEach(({ outpoint, witness = [] }, index) => {
    transaction.addInput(wireHash(outpoint.slice(0, 64)), Number(outpoint.slice(65)))
    transaction.setWitness(index, [...witness])
  })
  for (const { script = ANYONE, valueSats } of outputs) transaction.addOutput(script, valueSats)
  return txOf(transaction)
}

/** A block on top of one of the chain's; the coinbase claims subsidy and `feeSats`. */
export const blockOn = (
  chain: Chain,
  parent: ChainBlock,
  transactions: readonly Tx[],
  feeSats = 0n,
  coinbaseScript = ANYONE,
) =>
  buildBlock({
    prevHash: parent.hash,
    height: parent.height + 1,
    time: parent.medianTime + 600,
    transactions,
    rewardSats: subsidyAt(parent.height + 1) + feeSats,
    coinbaseScript,
    extraNonce: chain.size,
  })

/**
 * Everything that the transactions of the active chain leave unspent, from scratch: `txid:vout` to
 * sats.
 */
export function unspentOf(chain: Chain): Map<string, bigint> {
  const unspent = new Map<string, bigint>()
  for (let height = 1; height <= chain.tip.height; height++)
    for (const { txid, raw, prevouts } of chain.at(height)?.txs ?? []) {
      for (const prevout of prevouts) unspent.delete(prevout)
      raw.outs.forEach(({ value, script }, vout) => {
        if (script[0] !== 0x6a) unspent.set(`${txid}:${vout}`, value)
      })
    }
  return unspent
}
