import { ordAnswers, rpcAnswers } from '../../test/support/chain/recorded-answers.ts'
import type { GeneratedChain } from './chain.ts'

/** Blocks below the tip that hold no output. */
const YOUNGEST = 100
const SPREAD = 10_000

const RECORDED = (
  JSON.parse(rpcAnswers['gettxout unspent true']?.body ?? '{}') as { result?: object }
).result
const EMPTY = JSON.parse(ordAnswers['empty output']?.body ?? '{}') as object

const INSCRIBED = JSON.parse(ordAnswers['inscribed output']?.body ?? '{}') as object
const INSCRIPTION = JSON.parse(ordAnswers['inscription 0']?.body ?? '{}') as object

/** An inscribed output with an owner: the others are of no known key. */
export interface OwnedCoin {
  outpoint: string
  valueSats: string
  scriptHex: string
  inscriptionId: string
}

/** The block of an output, by its transaction: every output exists, unspent. */
export const heightOf = (txid: string, tip: number): number =>
  Math.max(0, tip - YOUNGEST - (Number.parseInt(txid.slice(0, 8), 16) % SPREAD))

const SATS_PER_BTC = 100_000_000

/** `gettxout` of the coin. */
export function coinOfNode(chain: GeneratedChain, coin: OwnedCoin) {
  const [txid = ''] = coin.outpoint.split(':')
  return {
    ...outputOfNode(chain, txid),
    value: Number(coin.valueSats) / SATS_PER_BTC,
    scriptPubKey: { hex: coin.scriptHex },
  }
}

/** ord's answer for the coin. */
export function coinOfIndex(chain: GeneratedChain, coin: OwnedCoin) {
  const { outpoint, scriptHex, inscriptionId } = coin
  const place = outputOfIndex(chain, outpoint)
  return {
    ...INSCRIBED,
    ...place,
    inscriptions: [inscriptionId],
    value: Number(coin.valueSats),
    script_pubkey: scriptHex,
  }
}

/** ord's answer for its inscription, on the first sat. */
export const inscriptionOfIndex = ({ outpoint, inscriptionId }: OwnedCoin) => ({
  ...INSCRIPTION,
  id: inscriptionId,
  satpoint: `${outpoint}:0`,
})

/** `gettxout` of any output. */
export function outputOfNode(chain: GeneratedChain, txid: string) {
  const { height, hash } = chain.tip
  return { ...RECORDED, bestblock: hash, confirmations: height - heightOf(txid, height) + 1 }
}

/** ord's answer for any output: it holds nothing. */
export function outputOfIndex(chain: GeneratedChain, outpoint: string) {
  const [transaction = ''] = outpoint.split(':')
  const { height } = chain.tip
  const confirmations = height - heightOf(transaction, height) + 1
  return { ...EMPTY, outpoint, transaction, confirmations }
}
