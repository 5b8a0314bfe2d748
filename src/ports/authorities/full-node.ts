import type { BlockHash, BlockRef, Network, Outpoint, Txid, TxOut } from '../../schemas/scalars.ts'

/**
 * A Bitcoin full node. Every method throws `NodeUnavailableError` when the node gives no usable answer;
 * a null always means that the node answered and has no such thing. Amounts are AtomicSats,
 * hashes are lowercase hex in display order, times are Unix seconds.
 */
export interface FullNode {
  /** Verified against the configured network on every call: another chain is `node_wrong_network`. */
  chain(): Promise<ChainStatus>
  /** The hash at a height of the best chain; null above the tip. */
  blockHash(height: number): Promise<BlockHash | null>
  /** The block hashes at many heights, in one request, in order. */
  blockHashes(heights: readonly number[]): Promise<readonly (BlockHash | null)[]>
  /** Null when the node never saw this hash. `onBestChain` is false for a stale block. */
  header(hash: BlockHash): Promise<Header | null>
  /** The 80 bytes of each header in hex, in order; null for one that the node never saw. */
  rawHeaders(hashes: readonly BlockHash[]): Promise<readonly (string | null)[]>
  /**
   * `gettxoutproof`: a `merkleblock` (BIP 37) in hex, the header and part of its Merkle tree. Null
   * when the node never saw the block, or the transaction is not in it; throws
   * `BlockUnavailableError` when its body is pruned, `ProofRefusedError` when the node lets this
   * login ask for no proof.
   */
  merkleProof(txid: Txid, blockHash: BlockHash): Promise<string | null>
  /** Null when the node never saw this hash; throws `BlockUnavailableError` when its body is pruned. */
  block(hash: BlockHash): Promise<Block | null>
  /** `gettxout` with and without the mempool, both at one tip: see `OutputAnswer`. */
  output(outpoint: Outpoint): Promise<OutputAnswer>
  /** Both in one request: the answer is of this tip. */
  outputAtTip(outpoint: Outpoint): Promise<{ chain: ChainStatus; output: OutputAnswer }>
  /** Many outputs in one request, in order: for sweeps. */
  outputs(outpoints: readonly Outpoint[]): Promise<readonly OutputAnswer[]>
  /** The txids that spend these in the mempool, in order. */
  mempoolSpenders(outpoints: readonly Outpoint[]): Promise<readonly (Txid | null)[]>
  /** The spender in a block: null also when this node cannot tell (no spender index). */
  confirmedSpender(outpoint: Outpoint): Promise<{ txid: Txid; blockHash: BlockHash } | null>
  /** A transaction of the mempool, of the block named, or of the transaction index. */
  transaction(txid: Txid, blockHash?: BlockHash): Promise<FoundTransaction | null>
  /** The mempool's transactions, with the sequence number of the list. */
  mempool(): Promise<{ txids: TxidList; sequence: number }>
  /** Several transactions of the mempool in few calls; those gone meanwhile are absent. */
  mempoolTransactions(txids: readonly Txid[]): Promise<ReadonlyMap<string, Transaction>>
  /** Would these be accepted? Each tested alone, replacement allowed, nothing broadcast. */
  testAccept(transactionsHex: readonly string[]): Promise<readonly AcceptAnswer[]>
  /** `analyzepsbt` of a PSBT: is the input at `index` final, that is, does its script run to true? */
  inputIsFinal(psbtBase64: string, index: number): Promise<boolean>
  /** sat/vB as decimal text: its estimate for 6 blocks, at least its mempool's minimum. */
  feeRate(): Promise<string>
  /**
   * sat/vB as decimal text, in order: its estimates for these numbers of blocks, at least its mempool's
   * minimum; null: it has no estimate.
   */
  feeEstimates(blocks: readonly number[]): Promise<readonly (string | null)[]>
  /** sat/vB as decimal text: the least its mempool accepts now. */
  minimumFeeRate(): Promise<string>
  /**
   * Yields whenever something may have changed, until the signal aborts: at once on a push if the
   * node pushes, otherwise at the polling interval. `gap` means that a push was lost.
   */
  changes(signal: AbortSignal): AsyncIterable<NodeChange>
}

/** The txids of a mempool, in the node's order: an array is one. */
export interface TxidList extends Iterable<Txid> {
  readonly length: number
  /**
   * The differences from an earlier list of the same node; null: they are not known without a
   * comparison of all. Reading may throw `NodeUnavailableError`.
   */
  differencesFrom?(earlier: TxidList, pace: () => Promise<void>): Promise<TxidDifferences | null>
}

/** What is in only one of two lists; a txid that is elsewhere in the other list is in both. */
export interface TxidDifferences {
  entered: Txid[]
  left: Txid[]
}

/** The part of a full node that folds of whole blocks need; throws as `FullNode` does. */
export interface BlockSource extends Pick<FullNode, 'chain' | 'blockHash' | 'changes'> {
  /**
   * The block's own serialisation; null when the node never saw this hash; throws
   * `BlockUnavailableError` when its body is pruned.
   */
  rawBlock(hash: BlockHash): Promise<Uint8Array | null>
  /**
   * The outputs that these transactions of a block spend, by txid, in input order; no coinbase.
   * Null when the node never saw the block, or one of them is not in it; throws `BlockUnavailableError`
   * when the node no longer has the body or its undo data.
   */
  prevouts(
    blockHash: BlockHash,
    txids: readonly Txid[],
  ): Promise<ReadonlyMap<string, readonly TxOut[]> | null>
}

export interface ChainStatus {
  network: Network
  tip: BlockRef & { medianTime: number; time: number }
  /** The node says so, or its tip is plainly not that of the chain: it has no peers, or catches up. */
  initialBlockDownload: boolean
  mempoolLoaded: boolean
  /** The lowest height whose body is still available; 0 without pruning. */
  prunedBelow: number
  version: string
  /**
   * The version of Bitcoin Core, 300000 for 30.0.0: it decides the default policy. Absent for other
   * nodes.
   */
  coreVersion?: number
}

export interface Header extends BlockRef {
  prevHash: BlockHash | null
  time: number
  medianTime: number
  onBestChain: boolean
}

export interface Block extends BlockRef {
  prevHash: BlockHash | null
  time: number
  transactions: readonly Transaction[]
}

export interface Transaction {
  txid: Txid
  /** Full serialisation with witnesses, lowercase hex. */
  hex: string
}

export interface FoundTransaction extends Transaction {
  /** Null: in the mempool. */
  blockHash: BlockHash | null
}

/** What the node knows about an output at one moment. */
export type OutputAnswer =
  | {
      status: 'unspent'
      output: TxOut
      coinbase: boolean
      /** 0: made by a transaction of the mempool. */
      confirmations: number
      bestBlock: BlockHash
    }
  /** Unspent in the chain, spent by the mempool. */
  | {
      status: 'spent-in-mempool'
      output: TxOut
      coinbase: boolean
      confirmations: number
      bestBlock: BlockHash
    }
  /** Spent in a block or never there: `gettxout` cannot tell; also a vout too high for the RPC. */
  | { status: 'absent' }

export interface AcceptAnswer {
  /** Empty for what is not a transaction. */
  txid: Txid | ''
  allowed: boolean
  vsize: number | null
  feesSats: string | null
  rejectReason: string | null
}

export type NodeChange =
  /** The tip or the mempool may have changed: ask. `isAlone`: until the next poll nothing tells of it. */
  | { kind: 'poll'; isAlone: boolean }
  /** A transaction entered (with `hex` if the node pushes it). */
  | { kind: 'added'; txid: Txid; mempoolSequence: number; hex: string | null }
  /** A transaction left for any reason but a block. */
  | { kind: 'removed'; txid: Txid; mempoolSequence: number }
  | { kind: 'connected' | 'disconnected'; hash: BlockHash }
  /** A push was lost, or the node restarted: resynchronise. */
  | { kind: 'gap'; detail: string }
