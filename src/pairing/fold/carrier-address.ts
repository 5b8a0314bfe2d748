import { bech32 } from '@scure/base'
import { InvalidQuestionError } from '../../ports/folds/question-errors.ts'
import type { Network } from '../../schemas/scalars.ts'
import { INVALID } from './parameters.ts'

/** BIP173. */
const PREFIX: Readonly<Record<Network, string>> = { mainnet: 'bc', signet: 'tb', regtest: 'bcrt' }
const MAX_CHARACTERS = 90
const WITNESS_VERSION = 0
const PROGRAM_BYTES = 32

/**
 * Rule 6: a P2WSH address of the network, in lowercase. Eight things are refused: a missing or
 * empty address; more than 90 characters; mixed case; a character or separator invalid in bech32; a
 * wrong checksum, including that of bech32m; another network's prefix; a witness version other than
 * 0; a program that is not 32 bytes, or whose padding is not zero.
 */
export function carrierAddressOf(value: unknown, network: Network): string {
  const address = typeof value === 'string' ? value : ''
  if (!isCarrierAddress(address, network)) throw new InvalidQuestionError(INVALID.address)
  return address.toLowerCase()
}

function isCarrierAddress(address: string, network: Network): boolean {
  const decoded = bech32.decodeUnsafe(address, MAX_CHARACTERS)
  if (decoded?.prefix !== PREFIX[network]) return false
  const [version, ...program] = decoded.words
  if (version !== WITNESS_VERSION) return false
  return bech32.fromWordsUnsafe(program)?.length === PROGRAM_BYTES
}
