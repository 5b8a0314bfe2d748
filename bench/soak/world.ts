import { setTimeout as sleep } from 'node:timers/promises'
import type { Devnet } from '../../src/devnet/devnet.ts'
import {
  fundBook,
  importOf,
  type OfferedCoin,
  spendOf,
} from '../../test/support/orders/big-book.ts'
import type { Market } from '../market/market.ts'

/** Seconds between two of a kind. */
const EVERY = { spend: 2, block: 10, reorg: 30 }
/**
 * The first block and the first reorg, after a replacement: what is in a block cannot be replaced.
 */
const FIRST = { block: 5, reorg: 15 }
const FEE_SATS = 1_000n
const HIGHER_FEE_SATS = 4_000n
const APPENDED = 250

/**
 * What happens to a book while it is read: imports, spends, their replacements, blocks and reorgs.
 */
export class World {
  readonly #devnet: Devnet
  readonly #market: Market
  readonly #offered: OfferedCoin[] = []
  #spare: OfferedCoin[] = []
  #imported = 0

  constructor(devnet: Devnet, market: Market) {
    this.#devnet = devnet
    this.#market = market
  }

  /** Imports a book; resolves when all of it is LIVE. */
  async fill(orders: number): Promise<void> {
    const coins = fundBook(this.#devnet, orders)
    for (let at = 0; at < coins.length; at += APPENDED)
      await this.#import(coins.slice(at, at + APPENDED))
    while ((await this.#live()) < orders) await sleep(100)
  }

  /** Resolves at the abort; a second is never skipped. */
  async goOn(signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    for (let second = 1; !signal.aborted; second += 1) {
      await this.#second(second)
      await sleep(Math.max(0, begun + second * 1_000 - performance.now()))
    }
  }

  /**
   * A coin is spent, a second later by a transaction that replaces the first; another one is
   * offered.
   */
  async #second(second: number): Promise<void> {
    const devnet = this.#devnet
    const [coin] = this.#offered
    if (coin && second % EVERY.spend === 0) devnet.submit(spendOf(coin, FEE_SATS))
    if (coin && second % EVERY.spend === 1 && second > 1) {
      devnet.submit(spendOf(coin, HIGHER_FEE_SATS))
      this.#offered.shift()
      if (this.#spare.length === 0) this.#spare = fundBook(devnet, APPENDED)
      await this.#import(this.#spare.splice(0, 1))
    }
    if (second % EVERY.block === FIRST.block) devnet.mine(1)
    if (second % EVERY.reorg === FIRST.reorg) {
      devnet.reorg(1)
      devnet.mine(2)
    }
  }

  async #import(coins: readonly OfferedCoin[]): Promise<void> {
    const { partitions } = this.#market
    const records = coins.map((coin, n) => importOf(coin, this.#imported + n, partitions))
    this.#imported += coins.length
    this.#offered.push(...coins)
    await this.#market.append(records)
  }

  async #live(): Promise<number> {
    return (await this.#market.get<{ total: number }>('orders?state=LIVE&limit=1')).total
  }
}
