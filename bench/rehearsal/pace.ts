/** What a node is sent at a rate of mainnet's. */
export interface Rates {
  /** Transactions. */
  perSecond: number
  /** Milliseconds from block to block; 0: none. */
  blockEveryMs: number
}

/** How much is due by the clock: a busy machine, whose timers are late, is sent as much. */
export class Pace {
  readonly #rates: Rates
  readonly #begunMs: number
  #transactions = 0
  #blocks = 0

  constructor(rates: Rates, begunMs: number) {
    this.#rates = rates
    this.#begunMs = begunMs
  }

  /** Since the last call. */
  dueAt(nowMs: number): { transactions: number; blocks: number } {
    const { perSecond, blockEveryMs } = this.#rates
    const elapsedMs = nowMs - this.#begunMs
    const allTransactions = Math.floor((elapsedMs * perSecond) / 1_000)
    const allBlocks = blockEveryMs > 0 ? Math.floor(elapsedMs / blockEveryMs) : 0
    const due = {
      transactions: allTransactions - this.#transactions,
      blocks: allBlocks - this.#blocks,
    }
    this.#transactions = allTransactions
    this.#blocks = allBlocks
    return due
  }
}
