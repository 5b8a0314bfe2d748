import { withoutWitnesses } from '../../domain/chain/bare-transaction.ts'
import { parseOutpoint } from '../../domain/chain/outpoint.ts'
import {
  BlockUnavailableError,
  ProofRefusedError,
} from '../../ports/authorities/authority-errors.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { DisputeBundle, TransactionProof } from '../../schemas/dispute/bundle.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { BlockRef, Txid } from '../../schemas/scalars.ts'

type Proofs = DisputeBundle['proofs']

/** Blocks whose headers are fetched, the last named first: one request. */
const MAX_HEADERS = 64
/** Characters of a transaction without witnesses; a longer one is left out with its proof. */
const LONGEST_TRANSACTION = 800_000

/** A node that is not configured proves nothing. */
export const NO_PROOFS: Proofs = { output: null, spend: null, headers: [] }

/**
 * What the node has to prove an order: the transactions of its output and of its spend with their
 * blocks, and the headers of the blocks that evidence names. Pruned blocks give none, nor does a
 * node that refuses Merkle proofs. At most five requests.
 *
 * @throws NodeUnavailableError
 */
export async function gatherProofs(
  node: Pick<FullNode, 'transaction' | 'merkleProof' | 'rawHeaders'>,
  { outpoint, outputBlock, spend }: OrderRecord,
  named: readonly BlockRef[],
): Promise<Proofs> {
  const hashes = [...new Set(named.map(({ hash }) => hash).reverse())].slice(0, MAX_HEADERS).sort()
  const [output, spent, headers] = await Promise.all([
    outputBlock && proofOf(node, parseOutpoint(outpoint).txid, outputBlock),
    spend?.block ? proofOf(node, spend.txid, spend.block) : null,
    node.rawHeaders(hashes),
  ])
  return {
    output,
    spend: spent,
    headers: hashes.flatMap((hash, index) => {
      const header = headers[index]
      return typeof header === 'string' ? [{ hash, header }] : []
    }),
  }
}

async function proofOf(
  node: Pick<FullNode, 'transaction' | 'merkleProof'>,
  txid: Txid,
  { height, hash }: BlockRef,
): Promise<TransactionProof | null> {
  try {
    const [found, proof] = await Promise.all([
      node.transaction(txid, hash),
      node.merkleProof(txid, hash),
    ])
    if (found === null || proof === null) return null
    const transaction = Buffer.from(withoutWitnesses(found.hex)).toString('hex')
    if (transaction.length > LONGEST_TRANSACTION) return null
    return { txid, block: { height, hash }, transaction, proof }
  } catch (error) {
    if (error instanceof BlockUnavailableError || error instanceof ProofRefusedError) return null
    throw error
  }
}
