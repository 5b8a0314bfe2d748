import type { Txid } from '../../schemas/scalars.ts'
import { type Mempool, parentsOf } from './mempool.ts'
import type { Tx } from './tx.ts'

const TRUC_VERSION = 3
const MAX_VBYTES = 10_000
const MAX_CHILD_VBYTES = 1_000

/**
 * BIP431 (version 3 transactions), as Core's `SingleTRUCChecks`: null when it allows the
 * transaction, or the one sibling that must be evicted under the rules of replacement.
 */
export function truc(
  tx: Tx,
  mempool: Mempool,
  conflicts: ReadonlySet<string>,
): 'violation' | { sibling: Txid } | null {
  const isTruc = tx.raw.version === TRUC_VERSION
  const parents = mempool.parents({ parents: parentsOf(tx) })
  if (parents.some((parent) => (parent.tx.raw.version === TRUC_VERSION) !== isTruc))
    return 'violation'
  if (!isTruc) return null
  if (tx.vsize > MAX_VBYTES || parents.length > 1) return 'violation'
  const [parent] = parents
  if (!parent) return null
  if (tx.vsize > MAX_CHILD_VBYTES || mempool.parents(parent).length > 0) return 'violation'

  const siblings = mempool.withDescendants([parent.txid]).filter((entry) => entry !== parent)
  const [sibling] = siblings
  if (!sibling || siblings.some(({ txid }) => conflicts.has(txid))) return null
  const mayGiveWay = siblings.length === 1 && mempool.withAncestors([sibling.txid]).length === 2
  return mayGiveWay ? { sibling: sibling.txid } : 'violation'
}
