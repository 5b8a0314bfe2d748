import { networks, Psbt } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import type { Account, WalletCoin } from './wallet.ts'

const FEE_SATS = 2_000n
const SEQUENCE = 0xfffffffd

export interface Purchase {
  /** The seller's signed half, base64. */
  ask: string
  buyer: Account
  /** Two small coins ahead of the offered one, merged, so that the asset keeps its offset. */
  paddings: readonly [WalletCoin, WalletCoin]
  funding: WalletCoin
  /** Where the asset goes, with the value of the offered output. */
  receiveScriptHex: string
}

/** A buyer's completed and signed transaction for an ask of one input and one output, hex. */
export function completeAsk({ ask, buyer, paddings, funding, receiveScriptHex }: Purchase): string {
  const seller = Psbt.fromBase64(ask)
  const [input, offered] = [seller.txInputs[0], seller.data.inputs[0]]
  const payout = seller.txOutputs[0]
  if (!input || !offered?.witnessUtxo || !payout) throw new Error('not an ask of one coin')
  const psbt = new Psbt({ network: networks.regtest })
  psbt.setVersion(seller.version)
  psbt.setLocktime(seller.locktime)
  for (const padding of paddings) psbt.addInput(buyer.input(padding))
  psbt.addInput({
    hash: input.hash,
    index: input.index,
    sequence: input.sequence ?? SEQUENCE,
    ...finalOf(offered),
  })
  psbt.addInput(buyer.input(funding))
  const merged = paddings.reduce((sum, { valueSats }) => sum + BigInt(valueSats), 0n)
  const change = BigInt(funding.valueSats) - payout.value - FEE_SATS
  for (const { scriptHex, value } of [
    { scriptHex: buyer.scriptHex, value: merged },
    { scriptHex: receiveScriptHex, value: offered.witnessUtxo.value },
    { scriptHex: Buffer.from(payout.script).toString('hex'), value: payout.value },
    { scriptHex: buyer.scriptHex, value: change },
  ]) {
    psbt.addOutput({ script: Buffer.from(scriptHex, 'hex'), value })
  }
  return buyer.sign(psbt, [0, 1, 3]).extractTransaction(true).toHex()
}

type TradeInput = Psbt['data']['inputs'][number]

const finalOf = ({ witnessUtxo, finalScriptWitness, finalScriptSig }: TradeInput) => ({
  ...(witnessUtxo ? { witnessUtxo } : {}),
  ...(finalScriptWitness ? { finalScriptWitness } : {}),
  ...(finalScriptSig ? { finalScriptSig } : {}),
})

export interface Bid {
  /** The coin that is bid for, and its owner, who signs nothing yet. */
  wanted: WalletCoin
  seller: Account
  buyer: Account
  funding: WalletCoin
  priceSats: bigint
}

/**
 * A fully funded bid as `ord wallet offer create` makes it: all but the wanted input signed,
 * base64.
 */
export function makeBid({ wanted, seller, buyer, funding, priceSats }: Bid): string {
  const postage = BigInt(wanted.valueSats)
  const outputs: TxOut[] = [
    { scriptHex: buyer.scriptHex, valueSats: postage.toString() },
    { scriptHex: seller.scriptHex, valueSats: (priceSats + postage).toString() },
    {
      scriptHex: buyer.scriptHex,
      valueSats: (BigInt(funding.valueSats) - priceSats - postage - FEE_SATS).toString(),
    },
  ]
  const psbt = new Psbt({ network: networks.regtest })
  psbt.addInput(seller.input(wanted))
  psbt.addInput(buyer.input(funding))
  for (const { scriptHex, valueSats } of outputs) {
    psbt.addOutput({ script: Buffer.from(scriptHex, 'hex'), value: BigInt(valueSats) })
  }
  return buyer.sign(psbt, [1]).toBase64()
}
