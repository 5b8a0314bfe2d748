import type { Network } from '../../schemas/scalars.ts'
import type { BlockchainInfo } from '../../schemas/wire/rpc.ts'

/** Two blocks of mainnet are further apart about once in sixty million blocks. */
const MAX_TIP_AGE_MS = 3 * 3_600_000
/** A node has the header of a block that was just found before the block. */
const MAX_HEADERS_AHEAD = 2

/**
 * Is the node's tip that of the chain, as far as can be seen here? Core says so for good once it was
 * (without peers too), and after a start while its tip is of the last day (-maxtipage). Elsewhere
 * than on mainnet a chain may rest, so the age of its tip says nothing. `now`: Unix milliseconds.
 */
export function isSynchronised(chain: BlockchainInfo, network: Network, now: number): boolean {
  if (chain.initialblockdownload || chain.headers - chain.blocks > MAX_HEADERS_AHEAD) return false
  return network !== 'mainnet' || now - chain.time * 1_000 <= MAX_TIP_AGE_MS
}
