import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import type { ContentSource } from '../../../src/ports/authorities/content-source.ts'
import type { BlockSource, FullNode } from '../../../src/ports/authorities/full-node.ts'
import type { BlockHash, Txid } from '../../../src/schemas/scalars.ts'

/**
 * What a test does to a chain besides querying it: the driver of the contract suites. The real one
 * runs Bitcoin Core and ord, the other the devnet; what a test needs beyond this (coins,
 * signatures, inscriptions) `openWallet` builds from these calls.
 */
export interface ChainDriver {
  readonly node: FullNode & BlockSource
  readonly index: AssetIndex
  readonly contents: ContentSource
  /** Mines blocks with what the mempool holds; the coinbase pays the script. Hashes in order. */
  mine(count: number, coinbaseScriptHex?: string): Promise<readonly BlockHash[]>
  /** Mines one block with exactly these transactions, which need not be in the mempool. Its hash. */
  mineExactly(transactionsHex: readonly string[]): Promise<BlockHash>
  /** Broadcasts. The txid; throws `TransactionRefusedError` with the node's own reason. */
  submit(hex: string): Promise<Txid>
  /** As `invalidateblock`: the block and its descendants leave the chain, their transactions return. */
  invalidate(blockHash: string): Promise<void>
  /** As `reconsiderblock`: undoes `invalidate`. */
  reconsider(blockHash: string): Promise<void>
  /** Stops and starts the node on the same data; its mempool is kept, its sequence restarts. */
  restartNode(): Promise<void>
  stopIndex(): Promise<void>
  startIndex(): Promise<void>
  /** The index keeps answering but does not advance until `thawIndex`. */
  freezeIndex(): Promise<void>
  thawIndex(): Promise<void>
  /** Resolves when the index is at the node's tip. */
  syncIndex(): Promise<void>
  close(): Promise<void>
}

/** The node rejected a transaction: `reason` as `sendrawtransaction` words it. */
export class TransactionRefusedError extends Error {
  override name = 'TransactionRefusedError'
  readonly reason: string

  constructor(reason: string) {
    super(`transaction refused: ${reason}`)
    this.reason = reason
  }
}

/** Opens a fresh regtest chain with an index over it; nothing is mined yet. */
export type OpenChain = () => Promise<ChainDriver>
