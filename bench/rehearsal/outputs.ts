import { ordAnswers, rpcAnswers } from '../../test/support/chain/recorded-answers.ts'
import type { GeneratedChain } from './chain.ts'

/** Blocks below the tip that hold no output. */
const YOUNGEST = 100
const SPREAD = 10_000

const RECORDED = (
  JSON.parse(rpcAnswers['gettxout unspent true']?.body ?? '{}') as { result?: object }
).result
const EMPTY = JSON.parse(ordAnswers['empty output']?.body ?? '{}') as object

/** The block of an output, by its transaction: every output exists, unspent. */
export const heightOf = (txid: string, tip: number): number =>
  Math.max(0, tip - YOUNGEST - (Number.parseInt(txid.slice(0, 8), 16) % SPREAD))

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
