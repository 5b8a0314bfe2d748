import { Transaction } from 'bitcoinjs-lib'
import { expect, test } from 'vitest'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { bytesOf } from '../../../src/domain/script/script-template.ts'
import { buildSelfSpend } from '../../../src/gateway/exposure/build-self-spend.ts'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import type { FullNode } from '../../../src/ports/authorities/full-node.ts'
import { walletOf } from '../../support/chain/keys.ts'
import { indexWith, nodeWith, unspentAnswer } from '../../support/chain/scripted-authorities.ts'
import { toTxid } from '../../support/ids.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { addressOf } from '../../support/market/listing.ts'

const P2PKH = `76a914${'55'.repeat(20)}88ac`
const SATS = 5_000n

/** Outputs that are signed only with the transactions that made them, each in a block of its own. */
const made = Array.from({ length: 16 }, (_, at) => {
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(7), at)
  transaction.addOutput(bytesOf(P2PKH), SATS)
  return { txid: toTxid(transaction.getId()), hex: transaction.toHex() }
})

test('the largest self-spend asks the node no more than a request may', async () => {
  const asked: string[] = []
  const answers = nodeWith({
    feeRate: async () => '2',
    minimumFeeRate: async () => '1',
    outputs: async (outpoints) =>
      outpoints.map((_, at) =>
        unspentAnswer({
          output: { scriptHex: P2PKH, valueSats: SATS.toString() },
          confirmations: at + 1,
        }),
      ),
    transaction: async (txid, blockHash) => {
      const { hex } = made.find((one) => one.txid === txid) ?? { hex: '' }
      return { txid, hex, blockHash: blockHash ?? null }
    },
  })
  const node: FullNode = new Proxy(answers, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]): unknown => {
        asked.push(String(name))
        return Reflect.apply(method, target, args)
      }
    },
  })
  const settings = { network: 'regtest' }
  const gateway = { node, index: indexWith(), clock: new ManualClock(), settings }
  const views = { page: async () => ({ orders: [], total: 0, next: null }) }
  const openOrders = async (outpoints: readonly unknown[]) =>
    outpoints.map(() => ({ ask: null, bid: null }))
  const [exposed, ...fundingUtxos] = made.map(({ txid }) => ({ txid, vout: 0 }))
  const built = await buildSelfSpend(
    gateway as unknown as Gateway,
    { views, openOrders },
    outpointText(exposed!),
    { destinationAddress: addressOf(walletOf('p2tr', 'home')), fundingUtxos },
    new AbortController().signal,
  )
  expect(built.inputOutpoints).toHaveLength(16)
  // A block hash and a transaction of each, and what any self-spend asks.
  expect(asked).toHaveLength(2 * 16 + 9)
})
