import type { RawBlock } from '../../domain/chain/raw-block.ts'
import type { BlockOpener } from '../../ports/authorities/block-opener.ts'
import type { BlockSource } from '../../ports/authorities/full-node.ts'
import type { BlockHash } from '../../schemas/scalars.ts'

/** The block of a hash, opened and checked; null and throws as in `BlockSource.rawBlock`. */
export type ReadBlock = (hash: BlockHash) => Promise<RawBlock | null>

/** Two folds no further apart than this read each block once. */
const MAX_BYTES = 24 * 2 ** 20

/** Fetches and opens each block once for all callers that ask for it at about the same time. */
export function shareBlocks(
  source: Pick<BlockSource, 'rawBlock'>,
  opener: BlockOpener,
  mostBytes = MAX_BYTES,
): ReadBlock {
  const cached = new Map<string, Promise<RawBlock | null>>()
  const sizes = new Map<string, number>()
  let bytes = 0

  const read = async (hash: BlockHash): Promise<RawBlock | null> => {
    try {
      const body = await source.rawBlock(hash)
      const block = body === null ? null : await opener.open(hash, body)
      if (block === null) cached.delete(hash)
      else keep(hash, block.bytes.length)
      return block
    } catch (error) {
      cached.delete(hash)
      throw error
    }
  }

  const keep = (hash: BlockHash, size: number): void => {
    sizes.set(hash, size)
    bytes += size
    for (const [oldest, length] of sizes) {
      if (bytes <= mostBytes) return
      sizes.delete(oldest)
      cached.delete(oldest)
      bytes -= length
    }
  }

  return (hash) => {
    const known = cached.get(hash)
    if (known) return known
    const reading = read(hash)
    cached.set(hash, reading)
    return reading
  }
}
