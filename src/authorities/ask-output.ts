import { bareTransaction, openTransaction } from '../domain/chain/bare-transaction.ts'
import { outpointText } from '../domain/chain/outpoint.ts'
import { spendOf } from '../domain/chain/spend.ts'
import { isUnspendable } from '../domain/limits.ts'
import type { AssetIndex } from '../ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../ports/authorities/authority-errors.ts'
import type {
  FoundTransaction,
  FullNode,
  Header,
  OutputAnswer,
} from '../ports/authorities/full-node.ts'
import type { OutputEvidence, Spend } from '../schemas/evidence.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { BlockRef, Outpoint, TxOut } from '../schemas/scalars.ts'

/** A spender may be replaced or mined between two questions: retried this many times at most. */
const RACES = 5

export interface OutputQuestion {
  node: FullNode
  index: AssetIndex | null
  outpoint: Outpoint
  /** What the order's own log says about the output. */
  known: Pick<OrderRecord, 'spend' | 'outputBlock'>
}

/**
 * What the node knows about one output, from every source it has. Throws `NodeUnavailableError`.
 */
export async function askOutput(
  question: OutputQuestion,
  first?: FirstLook,
): Promise<OutputEvidence> {
  const { node, outpoint } = question
  const tip = first?.chain.tip
  for (let race = 0; race < RACES; race += 1) {
    const answer = race === 0 && first ? first.output : await node.output(outpoint)
    const found =
      answer.status === 'unspent'
        ? await unspent(node, answer, tip)
        : answer.status === 'spent-in-mempool'
          ? await spentInMempool(question, answer, tip)
          : await absent(question)
    if (found) return found
  }
  const text = outpointText(outpoint)
  throw new NodeUnavailableError(
    'node_unavailable',
    `the node's answers about ${text} keep changing`,
  )
}

/** The node's first answer about the output, and its tip at that time. */
export type FirstLook = Awaited<ReturnType<FullNode['outputAtTip']>>

type Present = Exclude<OutputAnswer, { status: 'absent' }>

/** An output that `gettxout` finds on the chain, with its block. Throws `NodeUnavailableError`. */
export async function unspent(
  node: Pick<FullNode, 'header' | 'blockHash'>,
  answer: Present,
  tip?: BlockRef,
): Promise<OutputEvidence> {
  const { output, coinbase } = answer
  const block = await blockOf(node, answer, tip)
  return { status: 'unspent', output, coinbase, block, priorMedianTime: null }
}

async function spentInMempool(
  { node, outpoint }: OutputQuestion,
  answer: Present,
  tip: BlockRef | undefined,
): Promise<OutputEvidence | null> {
  const by = await mempoolSpend(node, outpoint)
  if (!by) return null
  const block = await blockOf(node, answer, tip)
  return { status: 'spent', confirmed: false, output: answer.output, block, by }
}

async function blockOf(
  node: Pick<FullNode, 'header' | 'blockHash'>,
  { confirmations, bestBlock }: Present,
  tip: BlockRef | undefined,
) {
  if (confirmations === 0) return null
  const best = tip?.hash === bestBlock ? tip : await node.header(bestBlock)
  if (!best)
    throw new NodeUnavailableError('node_unavailable', `the node lost its best block ${bestBlock}`)
  const height = best.height - confirmations + 1
  const hash = height === best.height ? bestBlock : await node.blockHash(height)
  if (!hash)
    throw new NodeUnavailableError('node_unavailable', `the node has no block at ${height}`)
  return { height, hash }
}

async function mempoolSpend(node: FullNode, outpoint: Outpoint): Promise<Spend | null> {
  const [txid] = await node.mempoolSpenders([outpoint])
  const found = txid ? await node.transaction(txid) : null
  return found ? spendIn(found, outpoint, null) : null
}

const spendIn = (found: FoundTransaction, outpoint: Outpoint, block: Spend['block']) =>
  spendOf(openTransaction(bareTransaction(found)), outpoint, block)

/**
 * `gettxout` finds neither an output spent in a block, nor a mempool output spent in the mempool,
 * nor one that never existed: every other source is tried. Null: the answers are inconsistent.
 */
async function absent(question: OutputQuestion): Promise<OutputEvidence | null> {
  const { node, outpoint, known } = question
  const inMempool = await mempoolSpend(node, outpoint)
  const origin = await originOf(node, outpoint)
  const output = origin?.output ?? null
  if (inMempool) return { status: 'spent', confirmed: false, output, block: null, by: inMempool }
  const by = (await confirmedSpend(node, outpoint)) ?? (await loggedSpend(node, outpoint, known))
  const spent: OutputEvidence = { status: 'spent', confirmed: true, output, block: null, by }
  if (by) return spent
  // Its transaction is in the mempool, and nothing there spends the output.
  if (origin?.header === null) return null
  const wasThere =
    origin !== null ||
    (await isOnBestChain(node, known.outputBlock)) ||
    (await indexKnowsSpent(question))
  return wasThere ? spent : { status: 'missing' }
}

interface OutputOrigin {
  output: TxOut
  /** Null: the output was made by a transaction of the mempool. */
  header: Header | null
}

/** The output from its own transaction, in the mempool or transaction index; null if in neither. */
async function originOf(node: FullNode, { txid, vout }: Outpoint): Promise<OutputOrigin | null> {
  const found = await node.transaction(txid)
  if (!found) return null
  const header = found.blockHash === null ? null : await node.header(found.blockHash)
  // The transaction index still names blocks that a reorg made stale.
  if (found.blockHash !== null && !header?.onBestChain) return null
  const made = openTransaction(bareTransaction(found))
  const output = vout < made.outputs ? made.output(vout) : null
  return output && !isUnspendable(made.script(vout)) ? { output, header } : null
}

async function confirmedSpend(node: FullNode, outpoint: Outpoint): Promise<Spend | null> {
  const spender = await node.confirmedSpender(outpoint)
  if (!spender) return null
  return minedSpend(node, outpoint, await node.transaction(spender.txid, spender.blockHash))
}

/** The order's logged spend, if its block is on the best chain, or by the transaction index. */
async function loggedSpend(
  node: FullNode,
  outpoint: Outpoint,
  { spend }: OutputQuestion['known'],
): Promise<Spend | null> {
  if (!spend) return null
  if (spend.block && (await isOnBestChain(node, spend.block))) return spend
  return minedSpend(node, outpoint, await node.transaction(spend.txid))
}

async function minedSpend(
  node: FullNode,
  outpoint: Outpoint,
  found: FoundTransaction | null,
): Promise<Spend | null> {
  const header = found?.blockHash ? await node.header(found.blockHash) : null
  if (!found || !header?.onBestChain) return null
  const { height, hash, time } = header
  return spendIn(found, outpoint, { height, hash, time })
}

async function isOnBestChain(node: FullNode, block: BlockRef | null): Promise<boolean> {
  const header = block ? await node.header(block.hash) : null
  return header?.onBestChain ?? false
}

async function indexKnowsSpent({ index, outpoint }: OutputQuestion): Promise<boolean> {
  try {
    const [known] = (await index?.contents([outpoint])) ?? []
    return known?.spent ?? false
  } catch (error) {
    if (error instanceof IndexUnavailableError) return false
    throw error
  }
}
