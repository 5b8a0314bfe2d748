import { Transaction } from '@scure/btc-signer'
import type { Outpoint, TxOut } from '../../src/schemas/scalars.ts'
import type { Wallet } from './keys.ts'

// A buyer as the world has them: written apart from the service and with another library, so that
// what it completes proves something about what the service calls LIVE.

export interface BuyerCoin {
  outpoint: Outpoint
  output: TxOut
  wallet: Wallet
}

export interface Purchase {
  /** The ask: base64, finalised or partial, of version 0 or 2. */
  psbt: string
  /** The offered output as the chain has it. */
  prevout: TxOut
  /** Two coins that stand before the seller's input, so that the asset moves to its own output. */
  paddings: readonly [BuyerCoin, BuyerCoin]
  funding: readonly BuyerCoin[]
  /** Where the asset goes. */
  receiveScriptHex: string
  /** Where the merged paddings and the change go. */
  changeScriptHex: string
  feeSats?: bigint
}

const SEQUENCE = 0xfffffffd
const ANY_CONTENT = {
  allowUnknown: true,
  allowUnknownVersion: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
}

/**
 * The final transaction, hex: inputs [padding, padding, seller, funding…], outputs [paddings merged,
 * asset, payout, change]. Version, lock time and the seller's sequence are the ask's.
 */
export function completeAsk(purchase: Purchase): string {
  const { prevout, paddings, funding, feeSats = 2_000n } = purchase
  const ask = Transaction.fromPSBT(Buffer.from(purchase.psbt, 'base64'), ANY_CONTENT)
  const at = signedInput(ask)
  const seller = ask.getInput(at)
  const payout = ask.getOutput(at)

  const tx = new Transaction({ ...ANY_CONTENT, version: ask.version, lockTime: ask.lockTime })
  for (const coin of paddings) addCoin(tx, coin)
  tx.addInput({ ...seller, witnessUtxo: utxoOf(prevout) }, true)
  for (const coin of funding) addCoin(tx, coin)

  const available = total([
    ...paddings.map((c) => c.output),
    prevout,
    ...funding.map((c) => c.output),
  ])
  const merged = total(paddings.map(({ output }) => output))
  const assetValue = BigInt(prevout.valueSats)
  const change = available - merged - assetValue - (payout.amount ?? 0n) - feeSats
  // Added although the seller has signed: its signature commits to one of them only.
  tx.addOutput({ script: bytesOf(purchase.changeScriptHex), amount: merged }, true)
  tx.addOutput({ script: bytesOf(purchase.receiveScriptHex), amount: assetValue }, true)
  tx.addOutput({ script: payout.script!, amount: payout.amount! }, true)
  tx.addOutput({ script: bytesOf(purchase.changeScriptHex), amount: change }, true)

  const own = [...paddings, null, ...funding]
  own.forEach((coin, index) => {
    for (const secret of coin?.wallet.secrets ?? []) tx.signIdx(secret, index)
  })
  own.forEach((coin, index) => {
    if (coin !== null || !seller.finalScriptWitness) tx.finalizeIdx(index)
  })
  return tx.hex
}

function signedInput(ask: Transaction): number {
  for (let at = 0; at < ask.inputsLength; at += 1) {
    const { finalScriptWitness, partialSig, tapKeySig, tapScriptSig } = ask.getInput(at)
    if (finalScriptWitness || partialSig || tapKeySig || tapScriptSig) return at
  }
  throw new Error('nobody signed this ask')
}

function addCoin(tx: Transaction, { outpoint, output, wallet }: BuyerCoin): void {
  tx.addInput(
    {
      txid: outpoint.txid,
      index: outpoint.vout,
      sequence: SEQUENCE,
      witnessUtxo: utxoOf(output),
      ...wallet.fields,
    },
    true,
  )
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const utxoOf = ({ scriptHex, valueSats }: TxOut) => ({
  script: bytesOf(scriptHex),
  amount: BigInt(valueSats),
})
const total = (outputs: readonly TxOut[]): bigint =>
  outputs.reduce((sum, { valueSats }) => sum + BigInt(valueSats), 0n)
