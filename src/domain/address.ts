import { hex } from '@scure/base'
import { Address, NETWORK, OutScript, TEST_NETWORK } from '@scure/btc-signer'
import type { Network } from '../schemas/scalars.ts'

/** BIP173, BIP350 and base58check prefixes by network. */
const PREFIXES = {
  mainnet: NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
} as const satisfies Record<Network, typeof NETWORK>

/** The output script that an address pays to, lowercase hex; null for an address of no such network. */
export function scriptOfAddress(address: string, network: Network): string | null {
  try {
    return hex.encode(OutScript.encode(Address(PREFIXES[network]).decode(address)))
  } catch {
    return null
  }
}

/** The address that names an output script; null for a script that has none. */
export function addressOfScript(scriptHex: string, network: Network): string | null {
  try {
    return Address(PREFIXES[network]).encode(OutScript.decode(hex.decode(scriptHex)))
  } catch {
    return null
  }
}
