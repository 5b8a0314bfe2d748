import { checkedLayout, FalseBlockError } from '../../domain/chain/block-layout.ts'
import { RawBlock } from '../../domain/chain/raw-block.ts'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { BlockOpener } from '../../ports/authorities/block-opener.ts'

/** Opens a block on the caller's own thread: about 11 ms per megabyte. */
export const hereOpened: BlockOpener = {
  open: async (hash, bytes) => {
    try {
      return new RawBlock(bytes, checkedLayout(hash, bytes))
    } catch (cause) {
      if (!(cause instanceof FalseBlockError || cause instanceof RangeError)) throw cause
      const detail = `block ${hash} cannot be read: ${cause.message}`
      throw new NodeUnavailableError('node_unavailable', detail, { cause })
    }
  },
}
