import type { RawBlock } from '../../domain/chain/raw-block.ts'
import type { BlockHash } from '../../schemas/scalars.ts'

/** Parses blocks from bytes, off the event loop if they are large. */
export interface BlockOpener {
  /**
   * Takes ownership of the bytes. Throws `NodeUnavailableError` when they are not the block of this hash
   * with the transactions its header commits to: a node that sends such bytes cannot be followed.
   */
  open(hash: BlockHash, bytes: Uint8Array): Promise<RawBlock>
}
