import { transactionOf, type WireTransaction } from './transactions.ts'

/** Transactions are made from numbers above any that a block of the generated chain holds. */
const FIRST_NUMBER = 2 ** 40

/** A mempool that grows and is mined; every change has its number, as Core counts them. */
export class Mempool {
  readonly #waiting = new Map<string, Buffer>()
  #next = FIRST_NUMBER
  #txids: readonly string[] | null = null
  /** Of the next change. */
  sequence = 1

  get size(): number {
    return this.#waiting.size
  }

  get txids(): readonly string[] {
    this.#txids ??= [...this.#waiting.keys()]
    return this.#txids
  }

  bytesOf(txid: string): Buffer | undefined {
    return this.#waiting.get(txid)
  }

  enter(): WireTransaction & { sequence: number } {
    const transaction = transactionOf(this.#next)
    this.#next += 1
    this.#waiting.set(transaction.txid, transaction.bytes)
    this.#txids = null
    const { sequence } = this
    this.sequence += 1
    return { ...transaction, sequence }
  }

  /** The oldest leave for a block, which is no change with a number (Core, doc/zmq.md). */
  mine(most: number): WireTransaction[] {
    const mined = [...this.#waiting].slice(0, most).map(([txid, bytes]) => ({ txid, bytes }))
    for (const { txid } of mined) this.#waiting.delete(txid)
    this.#txids = null
    return mined
  }
}
