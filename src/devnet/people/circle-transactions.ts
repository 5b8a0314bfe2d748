import { networks, Psbt } from 'bitcoinjs-lib'
import type { Account, WalletCoin } from './wallet.ts'

/** How much less a member gets back than it puts in. */
const FEE_SHARE_SATS = 500n
const OP_RETURN = 0x6a
const MAGIC = 'CIRC'
const VERSION = 1

export interface CircleMember {
  account: Account
  coin: WalletCoin
}

/**
 * A circle (docs/design/circles.md#the-protocol-on-chain): input i from each member, output i back
 * to it less its share of the fee, and the context after them. Members hold taproot coins. Hex.
 */
export function circleTransaction(
  members: readonly CircleMember[],
  contextHash: Uint8Array,
): string {
  const data = [...Buffer.from(MAGIC), VERSION, ...contextHash]
  const context = Uint8Array.from([OP_RETURN, data.length, ...data])
  return signed(members, [{ script: context, value: 0n }])
}

/** Spends shards like any other coins: their lineages close. Hex. */
export const closingTransaction = (members: readonly CircleMember[]): string => signed(members, [])

function signed(
  members: readonly CircleMember[],
  more: readonly { script: Uint8Array; value: bigint }[],
): string {
  const psbt = new Psbt({ network: networks.regtest })
  for (const { account, coin } of members) psbt.addInput(account.input(coin))
  for (const { account, coin } of members) {
    psbt.addOutput({
      script: Buffer.from(account.scriptHex, 'hex'),
      value: BigInt(coin.valueSats) - FEE_SHARE_SATS,
    })
  }
  for (const output of more) psbt.addOutput(output)
  members.forEach(({ account }, at) => void account.sign(psbt, [at]))
  return psbt.extractTransaction(true).toHex()
}
