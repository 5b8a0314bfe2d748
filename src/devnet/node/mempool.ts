import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import type { OutpointText, Txid } from '../../schemas/scalars.ts'
import type { ChainBlock } from './chain.ts'
import type { Coin, SequenceLock } from './consensus.ts'
import { inTopologicalOrder, type Tx } from './tx.ts'

export interface PooledTransaction {
  tx: Tx
  txid: Txid
  feeSats: bigint
  vsize: number
  /** Txids of every prevout, confirmed ones included. */
  parents: readonly Txid[]
  /** Computed when the transaction came: valid for as long as `lockedTo` is in the chain. */
  lock: SequenceLock
  lockedTo: ChainBlock
}

export const parentsOf = ({ prevouts }: Tx): Txid[] =>
  prevouts.map((prevout) => parseOutpoint(prevout).txid)

/**
 * The unconfirmed transactions and their spending relations. The sequence number counts every entry
 * and every removal, also by a block, from 1 at each start of the node (Core).
 */
export class Mempool {
  readonly #entries = new Map<Txid, PooledTransaction>()
  readonly #spenders = new Map<OutpointText, Txid>()
  #sequence = 1

  /** The number that the next change will have: a snapshot now holds all below it. */
  get sequence(): number {
    return this.#sequence
  }

  get entries(): ReadonlyMap<Txid, PooledTransaction> {
    return this.#entries
  }

  spender(outpoint: OutpointText): Txid | undefined {
    return this.#spenders.get(outpoint)
  }

  /** An output of a transaction here, spent or not; its block will be at this height or above. */
  coin(outpoint: OutpointText, nextHeight: number): Coin | undefined {
    const { txid, vout } = parseOutpoint(outpoint)
    const output = this.#entries.get(txid)?.tx.raw.outs[vout]
    if (!output) return undefined
    return { valueSats: output.value, script: output.script, height: nextHeight, coinbase: false }
  }

  /** The sequence number of the change. */
  add(entry: PooledTransaction): number {
    this.#entries.set(entry.txid, entry)
    for (const prevout of entry.tx.prevouts) this.#spenders.set(prevout, entry.txid)
    return this.#sequence++
  }

  /** The sequence number of the change; null when it was not there. */
  remove(txid: Txid): number | null {
    const entry = this.#entries.get(txid)
    if (!entry) return null
    this.#entries.delete(txid)
    for (const prevout of entry.tx.prevouts) this.#spenders.delete(prevout)
    return this.#sequence++
  }

  /**
   * Empties the mempool as a stop of the node does, and returns its transactions, parents first.
   */
  restart(): Tx[] {
    const txs = inTopologicalOrder([...this.#entries.values()].map(({ tx }) => tx))
    this.#entries.clear()
    this.#spenders.clear()
    this.#sequence = 1
    return txs
  }

  parents({ parents }: { parents: readonly Txid[] }): PooledTransaction[] {
    return this.#named(new Set(parents))
  }

  /** These and all their descendants here. */
  withDescendants(txids: Iterable<Txid>): PooledTransaction[] {
    return this.#closure(txids, (entry) => this.childrenOf(entry.tx))
  }

  withAncestors(txids: Iterable<Txid>): PooledTransaction[] {
    return this.#closure(txids, ({ parents }) => parents)
  }

  /** All transactions that are connected to these, through parents and children. */
  clusters(txids: Iterable<Txid>): PooledTransaction[] {
    return this.#closure(txids, (entry) => [...entry.parents, ...this.childrenOf(entry.tx)])
  }

  /** How many separate clusters these are in. */
  clusterCount(txids: Iterable<Txid>): number {
    const counted = new Set<string>()
    let count = 0
    for (const txid of txids) {
      if (counted.has(txid)) continue
      count++
      for (const entry of this.clusters([txid])) counted.add(entry.txid)
    }
    return count
  }

  /**
   * The transactions that spend outputs of this transaction, which need not be in the mempool
   * itself.
   */
  childrenOf({ txid, raw }: Tx): Txid[] {
    const children = raw.outs.map((_, vout) => this.#spenders.get(outpointText({ txid, vout })))
    return children.filter((child) => child !== undefined)
  }

  #named(txids: Iterable<Txid>): PooledTransaction[] {
    return [...txids].flatMap((txid) => this.#entries.get(txid) ?? [])
  }

  #closure(txids: Iterable<Txid>, next: (entry: PooledTransaction) => readonly Txid[]) {
    const found = new Map<string, PooledTransaction>()
    const open = this.#named(txids)
    for (let entry = open.pop(); entry; entry = open.pop()) {
      if (found.has(entry.txid)) continue
      found.set(entry.txid, entry)
      open.push(...this.#named(next(entry)))
    }
    return [...found.values()]
  }
}
