/** An unspent output of a generated chain, and what the generator believes about it. */
export interface Coin {
  outpoint: string
  /** Whether it is believed to carry an object. */
  isCarrier: boolean
  /** Shared by the coins of a pair. */
  pair: string | null
}

/**
 * The coins at one moment: a light model that makes most transactions interesting ones. It may err
 * about objects but never about what is unspent, so that no chain spends a coin twice.
 */
export class Coins {
  readonly #coins = new Map<string, Coin>()

  static copyOf(coins: Coins): Coins {
    const copy = new Coins()
    for (const coin of coins.#coins.values()) copy.add({ ...coin })
    return copy
  }

  add(coin: Coin): void {
    this.#coins.set(coin.outpoint, coin)
  }

  spend(outpoint: string): void {
    this.#coins.delete(outpoint)
  }

  get(outpoint: string): Coin | undefined {
    return this.#coins.get(outpoint)
  }

  /** Newest last. */
  carriers(): Coin[] {
    return [...this.#coins.values()].filter(({ isCarrier }) => isCarrier)
  }

  plain(): Coin[] {
    return [...this.#coins.values()].filter(({ isCarrier }) => !isCarrier)
  }

  mateOf({ outpoint, pair }: Coin): Coin | undefined {
    if (pair === null) return undefined
    return this.carriers().find((coin) => coin.pair === pair && coin.outpoint !== outpoint)
  }

  dissolve(pair: string | null): void {
    for (const coin of this.#coins.values()) if (coin.pair === pair) coin.pair = null
  }
}
