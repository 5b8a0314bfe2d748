import { type ScriptKind, type Wallet, walletOf } from '../../test/support/chain/keys.ts'
import { addressOf } from '../../test/support/market/listing.ts'

/** A person with keys of their own, which the service never sees. */
export interface Person {
  name: string
  /** "her own", "his own". */
  theirs: 'her' | 'his'
  /** What they sell from, pay from and get change to. */
  wallet: Wallet
  address: string
  /** Where they receive what they buy, never the payment address. */
  vaultAddress: string
  vaultScriptHex: string
}

export function person(name: string, theirs: Person['theirs'], kind: ScriptKind): Person {
  const wallet = walletOf(kind, `demo/${name}`)
  const vault = walletOf('p2tr', `demo/${name}/vault`)
  return {
    name,
    theirs,
    wallet,
    address: addressOf(wallet),
    vaultAddress: addressOf(vault),
    vaultScriptHex: vault.scriptHex,
  }
}
