import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, openDevnet } from '../../../src/devnet/devnet.ts'
import { fundBook, signedAsk } from '../../../test/support/orders/big-book.ts'
import { systemClock } from '../../../test/support/system-clock.ts'
import { compare } from '../../harness/line.ts'
import type { Sample } from '../../harness/results.ts'
import { quantile } from '../../harness/table.ts'
import { importOrders } from '../../market/live-book.ts'
import { type Market, startMarket } from '../../market/market.ts'
import { importAsk } from '../processes/import-ask.ts'
import { type Growth, ofTimes, sizesText } from './growth.ts'

const IMPORTED = 25
const PRICE_SATS = 20_000n

/** Line 6, embedded, with the devnet as node and index: its imports alone. */
export const growthOfImports: Growth = async (sizes, { progress }) => {
  await using few = await ImportingMarket.start(sizes.few, progress)
  await using many = await ImportingMarket.start(sizes.many, progress)
  return [
    await compare(
      { ...ofTimes, name: 'line 6', sizes: sizesText(sizes, 'orders'), unit: 'ms an import' },
      () => many.imports(),
      () => few.imports(),
    ),
  ]
}

/** The whole service in a process of its own, with LIVE orders, on a devnet in this one. */
class ImportingMarket implements AsyncDisposable {
  readonly #devnet: Devnet
  readonly #market: Market
  readonly #dataDir: string

  static async start(orders: number, progress: (what: string) => void): Promise<ImportingMarket> {
    const dataDir = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
    const market = await startMarket({ node: devnet.node, index: devnet.index }, dataDir, {
      RATE_LIMIT_IMPORT: '100000',
    })
    await importOrders({ devnet, market }, orders, progress)
    return new ImportingMarket(devnet, market, dataDir)
  }

  private constructor(devnet: Devnet, market: Market, dataDir: string) {
    this.#devnet = devnet
    this.#market = market
    this.#dataDir = dataDir
  }

  /** The median of some, one after another, until each has been answered. */
  async imports(): Promise<Sample> {
    const coins = fundBook(this.#devnet, IMPORTED)
    await this.#market.vitals()
    const ms: number[] = []
    for (const coin of coins) {
      const begun = performance.now()
      await importAsk(this.#market.address, signedAsk(coin, PRICE_SATS))
      ms.push(performance.now() - begun)
    }
    const { cpuMs } = await this.#market.vitals()
    return { figure: quantile(ms, 0.5), cpuUs: (cpuMs * 1_000) / IMPORTED }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#market.stop()
    await this.#devnet.close()
    rmSync(this.#dataDir, { recursive: true, force: true })
  }
}
