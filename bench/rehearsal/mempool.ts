import { toTxid } from '../../test/support/ids.ts'
import { transactionOf, type WireTransaction } from './transactions.ts'

/** Transactions are made from numbers above any that a block of the generated chain holds. */
const FIRST_NUMBER = 2 ** 40

/**
 * A mempool that grows and is mined; every change has its number, as Core counts them. Core lists
 * it by fee rate: here by hash, so that new ones may be anywhere.
 */
export class Mempool {
  readonly #waiting = new Map<string, Buffer>()
  readonly #txids: string[] = []
  #next = FIRST_NUMBER
  /** Of the next change. */
  sequence = 1

  get size(): number {
    return this.#waiting.size
  }

  get txids(): readonly string[] {
    return this.#txids
  }

  bytesOf(txid: string): Buffer | undefined {
    return this.#waiting.get(txid)
  }

  fill(count: number): void {
    for (let made = 0; made < count; made += 1) {
      const { txid, bytes } = this.#make()
      this.#waiting.set(txid, bytes)
      this.#txids.push(txid)
    }
    this.#txids.sort()
    this.sequence += count
  }

  enter(): WireTransaction & { sequence: number } {
    const transaction = this.#make()
    this.#waiting.set(transaction.txid, transaction.bytes)
    this.#txids.splice(this.#placeOf(transaction.txid), 0, transaction.txid)
    const { sequence } = this
    this.sequence += 1
    return { ...transaction, sequence }
  }

  /** The first leave for a block, which is not a numbered change (Core, doc/zmq.md). */
  mine(most: number): WireTransaction[] {
    return this.#txids.splice(0, most).map((txid) => {
      const bytes = this.#waiting.get(txid) ?? Buffer.alloc(0)
      this.#waiting.delete(txid)
      return { txid: toTxid(txid), bytes }
    })
  }

  #make(): WireTransaction {
    const transaction = transactionOf(this.#next)
    this.#next += 1
    return transaction
  }

  #placeOf(txid: string): number {
    let [low, high] = [0, this.#txids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#txids[middle] ?? '') < txid) low = middle + 1
      else high = middle
    }
    return low
  }
}
