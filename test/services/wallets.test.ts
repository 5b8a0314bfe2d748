import { hex } from '@scure/base'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { outpointText } from '../../src/domain/chain/outpoint.ts'
import type { Exposure } from '../../src/schemas/api/outputs/exposure.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { txOut } from '../support/chain/wallet.ts'
import { type PageWallet, pageWallet, putIntoPage } from '../support/console/page-wallet.ts'
import { Visitor } from '../support/console/visitor.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { openServiceBook } from '../support/services/service-book.ts'

// One script of a person at the console, on the built-in chain and on Bitcoin Core with ord. The
// service broadcasts nothing: the script sends what the page shows.

/** A service on some chain, and what its people do without it. */
interface Place {
  market: Market
  /** Confirmed outputs that pay the script, each of so many sats. */
  give(to: Payee, sats: readonly bigint[]): Promise<void>
  /** A new inscription in a confirmed output. */
  inscribe(to: Payee): Promise<Held>
  send(hex: string): Promise<unknown>
  /** One block, which the service has followed. */
  mine(): Promise<void>
  close(): Promise<void>
}

interface Payee {
  address: string
  script: Uint8Array
}

interface Held {
  inscriptionId: string
  /** TXID:VOUT */
  output: string
}

const POSTAGE = 10_000n

async function builtIn(): Promise<Place> {
  const market = await openMarket()
  const devnet = devnetOf(market)
  return {
    market,
    give: async ({ address }, sats) => {
      for (const one of sats) devnet.fund(address, one)
    },
    inscribe: async ({ address }) => {
      const content = { contentType: 'text/plain', body: Buffer.from('mine'), postage: POSTAGE }
      const { inscriptionId, outpoint } = devnet.inscribe(address, content)
      return { inscriptionId, output: outpointText(outpoint) }
    },
    send: async (transactionHex) => devnet.submit(transactionHex),
    mine: async () => void devnet.mine(1),
    close: () => market.end(),
  }
}

async function onCore(): Promise<Place> {
  const book = await openServiceBook()
  const mine = async () => {
    await book.mine()
    await book.followed()
  }
  return {
    market: book.market,
    give: async ({ script }, sats) => {
      const outputs = sats.map((one) => txOut(hex.encode(script), one))
      await book.chain.submit(book.miner.pay(outputs).toHex())
      await mine()
    },
    inscribe: async ({ script }) => {
      const to = txOut(hex.encode(script), POSTAGE)
      const { ids, coin } = await inscribe(book.chain, book.miner, to)
      await mine()
      return { inscriptionId: ids[0] ?? '', output: outpointText(coin.outpoint) }
    },
    send: book.chain.submit,
    mine,
    close: () => book.close(),
  }
}

const MAX_CLICKS = 4
/** A busy machine is waited for. */
const PATIENCE_MS = 100_000

/** A person at a page with a wallet: counts the clicks, and keeps what was typed. */
class Person {
  readonly page: Page
  readonly complaints: string[]
  readonly typed: string[] = []
  #clicks = 0

  private constructor(page: Page, complaints: string[]) {
    this.page = page
    this.complaints = complaints
  }

  static async at(address: string, wallet: PageWallet): Promise<Person> {
    const { page, complaints } = await visitor.blank()
    page.setDefaultTimeout(PATIENCE_MS)
    await putIntoPage(page, wallet)
    await page.goto(address)
    return new Person(page, complaints)
  }

  async click(role: 'link' | 'button', name: string | RegExp, within?: Locator): Promise<void> {
    this.#clicks += 1
    await (within ?? this.page).getByRole(role, { name }).first().click()
  }

  async type(label: string, text: string): Promise<void> {
    this.typed.push(text)
    await this.page.getByLabel(label).fill(text)
  }

  /** The clicks since this was last asked. */
  clicks(): number {
    const clicks = this.#clicks
    this.#clicks = 0
    return clicks
  }

  /** What the page hands out to be broadcast. */
  transaction = (): Promise<string> =>
    this.page.getByLabel('Final transaction, hexadecimal').inputValue()

  async sees(state: string): Promise<void> {
    await this.page.locator('.page-head .badge').filter({ hasText: state }).waitFor()
  }
}

let visitor: Visitor
beforeAll(async () => {
  visitor = await Visitor.start()
})
afterEach(() => visitor.closePages())
afterAll(() => visitor?.end())

describe.each([
  ['the built-in regtest', builtIn],
  ['Bitcoin Core and ord', onCore],
])('on %s, by a wallet in the page', (_, open) => {
  let place: Place
  beforeAll(async () => {
    place = await open()
  })
  afterAll(() => place?.close())

  const orderShownBy = async ({ page }: Person): Promise<OrderSummary> => {
    const { pathname } = new URL(page.url())
    return (await place.market.get(`orders/${pathname.split('/').at(-1)}`)).body as OrderSummary
  }

  /** Lists what the wallet offers first, from the book; ends at the order's page. */
  const list = async (wallet: PageWallet, price: string): Promise<Person> => {
    const seller = await Person.at(place.market.address, wallet)
    await seller.click('link', 'Sell', seller.page.getByRole('navigation').first())
    await seller.click('button', 'Connect Xverse Wallet')
    await seller.type('Price, sats', price)
    await seller.click('button', 'Show what I receive')
    await seller.click('button', 'Sign and publish')
    const published = seller.page.getByRole('link', { name: 'your order' })
    await published.waitFor()
    expect(seller.clicks()).toBeLessThanOrEqual(MAX_CLICKS)
    await published.click()
    await seller.sees('live')
    return seller
  }

  test('lists and buys in four clicks each, and the buyer has it', async () => {
    const [owner, payer] = [pageWallet(11), pageWallet(21)]
    const held = await place.inscribe(owner.assets)
    owner.mood.holds = [held]
    await place.give(payer.payments, [600n, 600n, 200_000n])

    const seller = await list(owner, '60000')
    const { id } = await orderShownBy(seller)
    const buyer = await Person.at(place.market.address, payer)
    await buyer.click('link', /^Inscription/, buyer.page.locator(`[data-order="${id}"]`))
    await buyer.click('button', 'Connect Xverse Wallet')
    await buyer.click('button', /^Buy$/)
    await buyer.click('button', 'Sign in the wallet')
    await buyer.page.getByText('Now broadcast it').waitFor()
    expect(buyer.clicks()).toBeLessThanOrEqual(MAX_CLICKS)
    expect([...seller.typed, ...buyer.typed]).toEqual(['60000'])

    await place.send(await buyer.transaction())
    await seller.sees('being spent')
    await place.mine()
    await seller.sees('settled')
    const found = await place.market.gateway.index?.inscription(held.inscriptionId)
    const { txid } = (await orderShownBy(seller)).settlement ?? {}
    expect(found?.satpoint).toEqual({ outpoint: { txid, vout: 1 }, offset: '0' })
    expect([...seller.complaints, ...buyer.complaints]).toEqual([])
    // A wallet shows its owner the transaction, and that is enough to find the order.
    await buyer.page.goto(`${place.market.address}/console/find?q=${txid}`)
    await buyer.page.getByRole('listitem').filter({ hasText: 'bought by this' }).waitFor()
  })

  test('a wallet with one output makes its paddings, and the purchase goes on by itself', async () => {
    const [owner, payer] = [pageWallet(41), pageWallet(51)]
    owner.mood.holds = [await place.inscribe(owner.assets)]
    await place.give(payer.payments, [200_000n])
    const seller = await list(owner, '80000')

    const buyer = await Person.at(seller.page.url(), payer)
    await buyer.click('button', 'Connect Xverse Wallet')
    await buyer.click('button', /^Buy$/)
    await buyer.click('button', 'Sign the padding in the wallet')
    await buyer.page.getByText('Signed. Now broadcast it.').waitFor()
    await place.send(await buyer.transaction())
    await place.mine()
    await buyer.click('button', 'Sign in the wallet')
    await buyer.page.getByText('Allowed: it buys the order').waitFor()
    expect(buyer.clicks()).toBeLessThanOrEqual(MAX_CLICKS)
    expect(buyer.typed).toEqual([])
    await place.send(await buyer.transaction())
    await place.mine()
    await seller.sees('settled')
    expect(buyer.complaints).toEqual([])
  })

  test('withdraws, and ends what was signed by a transaction', async () => {
    const owner = pageWallet(31)
    const held = await place.inscribe(owner.assets)
    owner.mood.holds = [held]
    const seller = await list(owner, '70000')
    await seller.click('link', 'Withdraw it as its seller')
    await seller.click('button', /^Withdraw it$/)
    await seller.page.locator('.verdict .badge').filter({ hasText: 'withdrawn' }).waitFor()
    await seller.click('button', 'Sign the transaction that ends it')
    await seller.page.getByText('every copy of the order has ended').waitFor()
    await place.send(await seller.transaction())
    await place.mine()
    const exposure = async () =>
      (await place.market.get(`outpoints/${held.output}`)).body as Partial<Exposure>
    // On a busy machine the node may be late once.
    await expect.poll(async () => (await exposure()).output?.status).toBe('SPENT')
    expect((await exposure()).lowest?.now).toBeNull()
    expect(seller.typed).toEqual(['70000'])
    expect(seller.complaints).toEqual([])
  })
})
