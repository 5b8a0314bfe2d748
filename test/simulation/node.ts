import { outpointText } from '../../src/domain/chain/outpoint.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../src/ports/authorities/authority-errors.ts'
import type {
  Block,
  ChainStatus,
  FoundTransaction,
  FullNode,
  NodeChange,
  OutputAnswer,
} from '../../src/ports/authorities/full-node.ts'
import type { Outpoint, Txid } from '../../src/schemas/scalars.ts'
import { txidText } from '../support/txid-text.ts'
import type { SimBlock, SimChain } from './chain.ts'
import type { Process } from './process.ts'

/** The node as one process sees it: every call may be late, or unanswered. */
export function nodeOf(chain: SimChain, process: Process): FullNode {
  const ask = <T>(name: string, effect: () => T): Promise<T> =>
    process.call({
      kind: 'ask',
      name: `node.${name}`,
      effect: () => {
        if (chain.trouble !== null) throw new NodeUnavailableError(chain.trouble, 'simulated')
        return effect()
      },
      trouble: () => new NodeUnavailableError('node_unavailable', 'simulated: no answer'),
    })
  const nobodyAsks = async (): Promise<never> => {
    throw new Error('unexpected call')
  }
  return {
    chain: () => ask('chain', () => statusOf(chain)),
    outputAtTip: (outpoint) =>
      ask('outputAtTip', () => ({ chain: statusOf(chain), output: outputOf(chain, outpoint) })),
    blockHash: (height) => ask('blockHash', () => chain.active[height] ?? null),
    blockHashes: (heights) =>
      ask('blockHashes', () => heights.map((height) => chain.active[height] ?? null)),
    header: (hash) =>
      ask('header', () => {
        const block = chain.blocks.get(hash)
        if (!block) return null
        const { height, prevHash, time, medianTime } = block
        return { height, hash, prevHash, time, medianTime, onBestChain: chain.isActive(block) }
      }),
    rawHeaders: nobodyAsks,
    merkleProof: nobodyAsks,
    block: (hash) =>
      ask('block', (): Block | null => {
        if (chain.pruned.has(hash)) throw new BlockUnavailableError(hash)
        return chain.blocks.get(hash) ?? null
      }),
    output: (outpoint) => ask('output', () => outputOf(chain, outpoint)),
    outputs: (outpoints) => ask('outputs', () => outpoints.map((one) => outputOf(chain, one))),
    mempoolSpenders: (outpoints) =>
      ask('mempoolSpenders', () =>
        outpoints.map((outpoint) => chain.claimerOf(outpointText(outpoint))?.txid ?? null),
      ),
    confirmedSpender: (outpoint) =>
      ask('confirmedSpender', () => {
        const spender = chain.spenderOf(outpointText(outpoint))
        const block = spender && chain.placeOf(spender.txid)
        return spender && block ? { txid: spender.txid, blockHash: block.hash } : null
      }),
    transaction: (txid, blockHash) =>
      ask('transaction', () => transactionIn(chain, txid, blockHash)),
    mempool: () =>
      ask('mempool', () => ({ txids: txidText(chain.mempool.keys()), sequence: chain.sequence })),
    mempoolTransactions: (txids) =>
      ask('mempoolTransactions', () => {
        const found = txids.flatMap((txid) => chain.mempool.get(txid) ?? [])
        return new Map(found.map(({ txid, hex }) => [txid, { txid, hex }]))
      }),
    testAccept: nobodyAsks,
    inputIsFinal: nobodyAsks,
    feeRate: nobodyAsks,
    feeEstimates: nobodyAsks,
    minimumFeeRate: nobodyAsks,
    changes: (signal) => changes(chain, process, signal),
  }
}

function statusOf({ tip, initialBlockDownload }: SimChain): ChainStatus {
  const { height, hash, time, medianTime } = tip
  return {
    network: 'regtest',
    tip: { height, hash, time, medianTime },
    initialBlockDownload,
    mempoolLoaded: true,
    prunedBelow: 0,
    version: 'simulated',
  }
}

function outputOf(chain: SimChain, outpoint: Outpoint): OutputAnswer {
  const text = outpointText(outpoint)
  const place = chain.placeOf(outpoint.txid)
  const made = chain.transaction(outpoint.txid)
  const output = made?.outputs[outpoint.vout]
  if (place === undefined || !made || !output || chain.spenderOf(text)) return { status: 'absent' }
  const isClaimed = chain.claimerOf(text) !== undefined
  // Neither in the mempool nor in a block: `gettxout` does not know it.
  if (place === null && isClaimed) return { status: 'absent' }
  return {
    status: isClaimed ? 'spent-in-mempool' : 'unspent',
    output,
    coinbase: made.isCoinbase,
    confirmations: place === null ? 0 : chain.tip.height - place.height + 1,
    bestBlock: chain.tip.hash,
  }
}

function transactionIn(chain: SimChain, txid: Txid, blockHash?: string): FoundTransaction | null {
  const place = blockHash === undefined ? chain.placeOf(txid) : blockNamed(chain, txid, blockHash)
  const found = chain.transaction(txid)
  if (place === undefined || !found) return null
  return { txid, hex: found.hex, blockHash: place?.hash ?? null }
}

function blockNamed(chain: SimChain, txid: string, hash: string): SimBlock | undefined {
  const block = chain.blocks.get(hash)
  return block?.transactions.some((held) => held.txid === txid) ? block : undefined
}

/** Notifications in order, each batch as late as the scheduler decides. */
async function* changes(
  chain: SimChain,
  process: Process,
  signal: AbortSignal,
): AsyncGenerator<NodeChange> {
  const queue: NodeChange[] = []
  let wake = () => {}
  let isDue = false
  const stop = chain.listen((change) => {
    queue.push(change)
    if (isDue) return
    isDue = true
    process.soon('node pushes', () => {
      isDue = false
      wake()
    })
  })
  process.onDeath(stop)
  const awake = () => wake()
  signal.addEventListener('abort', awake)
  try {
    while (!signal.aborted) {
      yield* queue.splice(0)
      if (signal.aborted || queue.length > 0) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    stop()
    signal.removeEventListener('abort', awake)
  }
}
