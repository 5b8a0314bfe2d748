import { BlockUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { BlockHash, Txid } from '../../schemas/scalars.ts'

/** The transaction that made an output, hex; null if the node no longer has its block. */
export async function previousTransaction(
  node: Pick<FullNode, 'transaction'>,
  txid: Txid,
  blockHash: BlockHash,
): Promise<string | null> {
  try {
    return (await node.transaction(txid, blockHash))?.hex ?? null
  } catch (error) {
    if (error instanceof BlockUnavailableError) return null
    throw error
  }
}
