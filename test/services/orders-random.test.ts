import { afterAll, beforeAll, expect, test } from 'vitest'
import { TransactionRefusedError } from '../support/chain/chain-driver.ts'
import { walletOf } from '../support/chain/keys.ts'
import { spend } from '../support/chain/spend.ts'
import { txOut } from '../support/chain/wallet.ts'
import { type Dice, dice } from '../support/orders/order-book.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { waitUntil } from '../support/services/programs.ts'
import {
  type Ask,
  BUYER_COINS,
  coinOfSeller,
  openServiceBook,
  type ServiceBook,
} from '../support/services/service-book.ts'

const STEPS = Number(process.env['FUZZ_RUNS'] ?? 60)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** Steps between two comparisons of the whole book. */
const ROUND = 10
const DEEPEST = 6
const PATIENCE_MS = 30_000

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({
    variables: { PAIRING_ENABLED: 'true', CIRCLES_ENABLED: 'true' },
    payments: 3 * STEPS + 20,
    ordArgs: ['--max-savepoints=6'],
  })
})
afterAll(() => book?.close())

/** All the actors of the chain and the service, without reading the book. */
class World {
  readonly #roll: Dice
  readonly #asks: Ask[] = []
  #fee = 2_000n
  readonly told: string[] = []

  constructor(seed: number) {
    this.#roll = dice(seed)
  }

  async step(): Promise<void> {
    const deeds: (readonly [string, () => Promise<unknown>])[] = [
      ['list', () => this.#list()],
      ['list', () => this.#list()],
      ['list unconfirmed', () => this.#listUnconfirmed()],
      ['buy', () => this.#buy()],
      ['buy', () => this.#buy()],
      ['buy and take back', () => this.#buyAndTakeBack()],
      ['cancel', () => this.#cancel()],
      ['mine', () => book.chain.mine(1)],
      ['mine', () => book.chain.mine(1)],
      ['mine nothing', () => book.chain.mineExactly([])],
      ['reorg', () => this.#reorg()],
      ['restart the node', () => book.chain.restartNode()],
      ['empty the mempool', () => this.#emptyMempool()],
      ['restart the service', () => book.restartMarket()],
      ['reorg while the service is down', () => book.restartMarket(() => this.#reorg())],
      ['restart the index', () => this.#restartIndex()],
    ]
    const [name, act] = this.#roll.of(deeds)
    this.told.push(name)
    await act()
  }

  async #list(): Promise<void> {
    const ask = await book.ask()
    await book.imported(ask.psbt)
    this.#asks.push(ask)
  }

  async #listUnconfirmed(): Promise<void> {
    const seed = book.name()
    const { outpoint } = await book.miner.fund(walletOf('p2tr', seed).scriptHex, 10_000n)
    const ask = { ...makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } }), seed }
    await book.imported(ask.psbt)
    this.#asks.push(ask)
  }

  async #buy(): Promise<void> {
    const ask = this.#ask()
    if (ask) await this.#submit(await book.purchase(ask, { feeSats: this.#moreFee() }))
  }

  async #buyAndTakeBack(): Promise<void> {
    const ask = this.#ask()
    if (!ask) return
    const coins = await book.coins(BUYER_COINS)
    await this.#submit(await book.purchase(ask, { coins, feeSats: this.#moreFee() }))
    const to = walletOf('p2tr', 'elsewhere').scriptHex
    await this.#submit(spend({ inputs: coins, outputs: [txOut(to, 400_000n)] }))
  }

  async #cancel(): Promise<void> {
    const ask = this.#ask()
    if (!ask) return
    const [coin] = await book.coins([1_000_000n])
    if (!coin) throw new Error('one coin was asked for')
    const change = 1_000_000n - this.#moreFee()
    await this.#submit(
      spend({
        inputs: [coinOfSeller(ask), coin],
        outputs: [txOut(walletOf('p2tr', 'elsewhere').scriptHex, change)],
      }),
    )
  }

  async #reorg(): Promise<void> {
    const depth = 1 + this.#roll.below(DEEPEST)
    const { tip } = await book.chain.node.chain()
    await book.chain.invalidate((await book.chain.node.blockHash(tip.height - depth + 1)) ?? '')
    for (let blocks = 0; blocks <= depth; blocks++) {
      if (this.#roll.chance(0.2)) await book.chain.mine(1)
      else await book.chain.mineExactly([])
    }
  }

  async #emptyMempool(): Promise<void> {
    await book.chain.core.stop()
    await book.chain.core.start(['-persistmempool=0'])
  }

  async #restartIndex(): Promise<void> {
    await book.chain.stopIndex()
    await book.chain.mine(2)
    await book.chain.startIndex()
  }

  #ask(): Ask | undefined {
    return this.#asks.length > 0 ? this.#roll.of(this.#asks) : undefined
  }

  /** Each replaces the previous one. */
  #moreFee(): bigint {
    this.#fee += 3_000n
    return this.#fee
  }

  /** Not every attempt is possible: the output may be gone. */
  async #submit(hex: string): Promise<void> {
    await book.chain.submit(hex).catch((error: unknown) => {
      if (!(error instanceof TransactionRefusedError)) throw error
      this.told.push(`(${error.reason})`)
    })
  }
}

test(`whatever happens, the book becomes what node and index say (seed ${SEED})`, async () => {
  const world = new World(SEED)
  for (let step = 1; step <= STEPS; step++) {
    await world.step()
    if (step % ROUND !== 0) continue
    await book.chain.syncIndex()
    let lies: string[] = []
    const isTrue = async () => {
      lies = await book.lies()
      return lies.length === 0
    }
    await waitUntil('the book is true', isTrue, PATIENCE_MS).catch(() => {
      throw new Error(`${lies.join('\n')}\nafter ${world.told.join(', ')}`)
    })
  }
  const { total } = (await book.market.get('orders?limit=1')).body as { total: number }
  expect(total).toBeGreaterThan(STEPS / 10)
}, 3_600_000)

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
