import type { Network } from '../../schemas/scalars.ts'
import { type HeaderFields, highestTarget, targetOf } from './block-header.ts'

/**
 * The least work of a mainnet header from a time on, as a power of two of hashes: below what every
 * block since then took. The last is of 2020, whose minimum is the one of July 2021, 2^75.6.
 */
const LEAST_ON_MAINNET: readonly (readonly [fromSeconds: number, work: number])[] = [
  [Date.UTC(2020) / 1_000, 75],
  [Date.UTC(2018) / 1_000, 72],
  [Date.UTC(2016) / 1_000, 67],
  [0, 32],
]

/**
 * Does work prove that a block of the network has this header? Anyone can make one of regtest; one of
 * signet is made valid by a signature in its block, which no bundle has.
 */
export const provesBlocks = (network: Network): boolean => network === 'mainnet'

/** No order is older, seconds: nor is what spent one, nor a tip that its evidence names. */
export const ORDERS_SINCE = Date.UTC(2020) / 1_000

/**
 * Is the hash at or below the header's own target, and that as low as the network takes at its time?
 * Its maker chose that time: `since` is the earliest that the block can have, seconds.
 */
export function hasProofOfWork(header: HeaderFields, network: Network, since = 0): boolean {
  const target = targetOf(header.bits)
  return (
    target > 0n &&
    target <= highestTarget(network) &&
    BigInt(`0x${header.hash}`) <= target &&
    workOf(header) >= leastWork(Math.max(header.time, since), network)
  )
}

/** The average number of hashes that meeting its target takes: a power of two, rounded down. */
export const workOf = ({ bits }: Pick<HeaderFields, 'bits'>): number => {
  const target = targetOf(bits)
  return target === 0n ? 0 : (2n ** 256n / (target + 1n)).toString(2).length - 1
}

const leastWork = (time: number, network: Network): number =>
  network === 'mainnet' ? (LEAST_ON_MAINNET.find(([from]) => time >= from)?.[1] ?? 0) : 0
