import { Transaction } from '@scure/btc-signer'
import type { Outpoint, TxOut } from '../../../src/schemas/scalars.ts'
import type { Wallet } from '../chain/keys.ts'

// A realistic buyer: written independently of the service and with another library, so that what it
// completes proves something about what the service calls LIVE.

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
  /** Two coins before the seller's input, so that the asset moves to its own output. */
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
  const { psbt, prevout, paddings, funding, feeSats = 2_000n } = purchase
  const ask = readPsbt(psbt)
  const payout = ask.getOutput(signedInput(ask)).amount ?? 0n
  const change = total(funding.map(({ output }) => output)) - payout - feeSats
  const merged = total(paddings.map(({ output }) => output))
  return composePurchase({
    psbt,
    prevout,
    inputs: [...paddings, 'seller', ...funding],
    outputs: [
      { scriptHex: purchase.changeScriptHex, valueSats: merged.toString() },
      { scriptHex: purchase.receiveScriptHex, valueSats: prevout.valueSats },
      'payout',
      { scriptHex: purchase.changeScriptHex, valueSats: change.toString() },
    ],
  })
}

export interface Composition extends Pick<Purchase, 'psbt' | 'prevout'> {
  /** In their order; 'seller' is the ask's own input. */
  inputs: readonly (BuyerCoin | 'seller')[]
  /** 'payout' is the ask's own output; what the outputs leave is the fee. */
  outputs: readonly (TxOut | 'payout')[]
}

/** Any transaction around an ask, sound or not: final, hex, signed by the owners of the coins. */
export function composePurchase({ psbt, prevout, inputs, outputs }: Composition): string {
  const ask = readPsbt(psbt)
  const at = signedInput(ask)
  const seller = ask.getInput(at)
  const payout = ask.getOutput(at)

  const tx = new Transaction({ ...ANY_CONTENT, version: ask.version, lockTime: ask.lockTime })
  for (const coin of inputs) {
    if (coin === 'seller') tx.addInput({ ...seller, witnessUtxo: utxoOf(prevout) }, true)
    else addCoin(tx, coin)
  }
  // Added although the seller has signed: its signature commits to one of them only.
  for (const output of outputs) {
    const { script, amount } = output === 'payout' ? payout : utxoOf(output)
    tx.addOutput({ script: script!, amount: amount! }, true)
  }
  inputs.forEach((coin, index) => {
    if (coin !== 'seller') for (const secret of coin.wallet.secrets) tx.signIdx(secret, index)
  })
  inputs.forEach((coin, index) => {
    if (coin !== 'seller' || !seller.finalScriptWitness) tx.finalizeIdx(index)
  })
  return tx.hex
}

/** A buyer's wallet completing a quote, base64: signs its own inputs, finalises none. */
export function signOwnInputs(psbt: string, coins: readonly BuyerCoin[]): string {
  const half = readPsbt(psbt)
  for (let at = 0; at < half.inputsLength; at += 1) {
    const { txid, index } = half.getInput(at)
    const own = coins.find(
      ({ outpoint }) =>
        txid && outpoint.txid === Buffer.from(txid).toString('hex') && outpoint.vout === index,
    )
    if (!own) continue
    half.updateInput(at, own.wallet.fields, true)
    for (const secret of own.wallet.secrets) half.signIdx(secret, at)
  }
  return Buffer.from(half.toPSBT()).toString('base64')
}

const readPsbt = (psbt: string): Transaction =>
  Transaction.fromPSBT(Buffer.from(psbt, 'base64'), ANY_CONTENT)

function signedInput(ask: Transaction): number {
  for (let at = 0; at < ask.inputsLength; at += 1) {
    const { finalScriptWitness, partialSig, tapKeySig, tapScriptSig } = ask.getInput(at)
    if (finalScriptWitness || partialSig || tapKeySig || tapScriptSig) return at
  }
  throw new Error('this ask is not signed')
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
