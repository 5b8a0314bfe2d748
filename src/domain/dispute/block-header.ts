import type { BlockHash, Network } from '../../schemas/scalars.ts'
import { HEADER_BYTES } from '../chain/byte-cursor.ts'
import { displayBlockHash, displayOrder, hashHeader } from '../chain/hash256.ts'

export interface HeaderFields {
  hash: BlockHash
  prevHash: BlockHash
  merkleRoot: string
  /** Unix seconds, as the miner wrote it. */
  time: number
  /** The target in its compact form. */
  bits: number
}

/** The highest target that a network allows (Bitcoin Core, kernel/chainparams.cpp). */
const HIGHEST_TARGET: Record<Network, bigint> = {
  mainnet: BigInt(`0x00000000${'ff'.repeat(28)}`),
  signet: BigInt(`0x00000377ae${'00'.repeat(27)}`),
  regtest: BigInt(`0x7f${'ff'.repeat(31)}`),
}

export const highestTarget = (network: Network): bigint => HIGHEST_TARGET[network]

/** Reads the 80 bytes of a header. Throws RangeError for any other length. */
export function readHeader(bytes: Uint8Array): HeaderFields {
  if (bytes.length !== HEADER_BYTES) throw new RangeError('a header has 80 bytes')
  const raw = Buffer.from(bytes)
  return {
    hash: hashHeader(raw),
    prevHash: displayBlockHash(raw.subarray(4, 36)),
    merkleRoot: displayOrder(raw.subarray(36, 68)),
    time: raw.readUInt32LE(68),
    bits: raw.readUInt32LE(72),
  }
}

/**
 * The highest hash that a header's compact form allows. 0 for a negative target and for one beyond 256
 * bits: no hash is that low.
 */
export function targetOf(bits: number): bigint {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  if ((bits & 0x800000) !== 0) return 0n
  const target =
    exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
  return target < 2n ** 256n ? target : 0n
}
