import { hex } from '@scure/base'
import { Address, NETWORK, OutScript, TEST_NETWORK } from '@scure/btc-signer'
import type { Network } from '../../schemas/scalars.ts'

/** BIP173, BIP350 and base58check prefixes by network. */
const PREFIXES = {
  mainnet: NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
} as const satisfies Record<Network, typeof NETWORK>

/** Pay to anchor has an address but no owner: anyone may spend it. */
export const ANCHOR = '51024e73'

/**
 * The output script that an address pays to, lowercase hex; null for an address of another network
 * or without an owner.
 */
export function scriptOfAddress(address: string, network: Network): string | null {
  try {
    const scriptHex = hex.encode(OutScript.encode(Address(PREFIXES[network]).decode(address)))
    return scriptHex === ANCHOR ? null : scriptHex
  } catch {
    return null
  }
}

/** The address that names an output script; null for a script without an address or an owner. */
export function addressOfScript(scriptHex: string, network: Network): string | null {
  if (scriptHex === ANCHOR) return null
  try {
    return Address(PREFIXES[network]).encode(OutScript.decode(hex.decode(scriptHex)))
  } catch {
    return null
  }
}

/** What an output script requires of its spender, as far as the order rules distinguish scripts. */
type ScriptType = 'p2tr' | 'p2wpkh' | 'p2wsh' | 'p2sh' | 'other'

const TYPES: readonly [ScriptType, RegExp][] = [
  ['p2tr', /^5120[0-9a-f]{64}$/],
  ['p2wpkh', /^0014[0-9a-f]{40}$/],
  ['p2wsh', /^0020[0-9a-f]{64}$/],
  ['p2sh', /^a914[0-9a-f]{40}87$/],
]

export const scriptTypeOf = (scriptHex: string): ScriptType =>
  TYPES.find(([, pattern]) => pattern.test(scriptHex))?.[0] ?? 'other'
