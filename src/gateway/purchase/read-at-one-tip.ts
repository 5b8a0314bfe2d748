import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { ChainStatus, FullNode } from '../../ports/authorities/full-node.ts'
import type { BlockHash, Outpoint } from '../../schemas/scalars.ts'
import { examineNamed, type NamedOutputs, type OutputOfNode, readOutputs } from './named-outputs.ts'
import type { SaleAuthorities } from './order-for-sale.ts'

/** Attempts to read both authorities at one tip before giving up on a moving chain. */
const MAX_LOOKS = 3

/** What node and index say about outputs while the node is at one tip. */
export interface OutputsAtTip extends NamedOutputs {
  tip: ChainStatus['tip']
}

/**
 * Reads outputs, the offered one among them, all at one tip: if a block arrives meanwhile, they are
 * read again. `check` may refuse on the node's answer before the index is asked.
 *
 * @throws RefusalError ASSET_INDEX_UNAVAILABLE, and what `check` throws; NodeUnavailableError
 */
export function readAtOneTip(
  authorities: SaleAuthorities,
  offered: Outpoint,
  others: readonly Outpoint[],
  check: (others: readonly OutputOfNode[]) => void,
): Promise<OutputsAtTip> {
  return examineAtOneTip(authorities.node, [offered, ...others], (known) => {
    check(known.slice(1))
    return examineNamed(authorities, known, offered)
  })
}

/**
 * What the node says about outputs, and what `examine` finds about them, all at one tip.
 *
 * @throws NodeUnavailableError, and what `examine` throws
 */
export async function examineAtOneTip<T>(
  node: FullNode,
  outpoints: readonly Outpoint[],
  examine: (known: readonly OutputOfNode[]) => Promise<T>,
): Promise<T & { tip: ChainStatus['tip'] }> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const known = await readOutputs(node, outpoints)
    const read = await examine(known)
    const { tip } = await node.chain()
    if (known.every((output) => wasReadAt(output, tip.hash))) return { ...read, tip }
  }
  const times = `the tip moved ${MAX_LOOKS} times while outputs were read`
  throw new NodeUnavailableError('node_unavailable', times)
}

const wasReadAt = ({ answer }: OutputOfNode, tipHash: BlockHash): boolean =>
  answer.status === 'absent' || answer.bestBlock === tipHash
