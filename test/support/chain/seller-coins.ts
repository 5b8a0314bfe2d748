import type { BuyerCoin } from '../market/buyer.ts'
import { makeAsk } from '../orders/psbt-orders.ts'
import { walletOf } from './keys.ts'
import type { RealChain } from './real-chain.ts'
import { coinOf, txOut, type Wallet } from './wallet.ts'

const SATS = 10_000n
const FEE_SATS = 100_000n

/** A confirmed coin of a seller who has no other. */
export interface SellerCoin extends BuyerCoin {
  /** Seed of the seller's keys. */
  seed: string
}

/** This many of them, known to node and index. */
export async function fundSellers(
  chain: RealChain,
  miner: Wallet,
  count: number,
): Promise<SellerCoin[]> {
  const sellers = Array.from({ length: count }, (_, n) => {
    const seed = `seller ${n}`
    return { seed, wallet: walletOf('p2wpkh', seed) }
  })
  const outputs = sellers.map(({ wallet }) => txOut(wallet.scriptHex, SATS))
  const funding = miner.pay(outputs, FEE_SATS)
  await chain.submit(funding.toHex())
  await chain.mine(1)
  await chain.syncIndex()
  return sellers.map((seller, vout) => ({ ...coinOf(funding, vout), ...seller }))
}

/** Its ask, base64. */
export const askFor = ({ seed, outpoint, output }: SellerCoin): string =>
  makeAsk({ script: 'p2wpkh', seed, prevout: { ...outpoint, valueSats: output.valueSats } }).psbt
