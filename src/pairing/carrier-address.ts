import { bech32 } from '@scure/base'
import { badRequest } from '../ports/message-refusal.ts'
import type { Network } from '../schemas/scalars.ts'
import { INVALID } from './parameters.ts'

/** BIP173. */
const PREFIX: Readonly<Record<Network, string>> = { mainnet: 'bc', signet: 'tb', regtest: 'bcrt' }
const MOST_CHARACTERS = 90
const WITNESS_VERSION = 0
const PROGRAM_BYTES = 32

/**
 * Rule 6: a P2WSH address of the network, in lowercase. Refused are eight things: a missing or empty
 * one; more than 90 characters; mixed case; a character or separator that bech32 has not; a wrong
 * checksum, that of bech32m included; the prefix of another network; a witness version that is not
 * 0; a program that is not 32 bytes, or whose padding is not zero.
 */
export function carrierAddressOf(value: unknown, network: Network): string {
  const address = typeof value === 'string' ? value : ''
  if (!isCarrierAddress(address, network)) throw badRequest(INVALID.address)
  return address.toLowerCase()
}

function isCarrierAddress(address: string, network: Network): boolean {
  const decoded = bech32.decodeUnsafe(address, MOST_CHARACTERS)
  if (decoded?.prefix !== PREFIX[network]) return false
  const [version, ...program] = decoded.words
  if (version !== WITNESS_VERSION) return false
  return bech32.fromWordsUnsafe(program)?.length === PROGRAM_BYTES
}
