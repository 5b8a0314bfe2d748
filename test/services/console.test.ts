import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Transaction } from '@scure/btc-signer'
import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeBid } from '../../src/devnet/people/trade.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import type { Played } from '../../src/devnet/protocol-play.ts'
import { outpointText } from '../../src/domain/chain/outpoint.ts'
import { addressOfScript } from '../../src/domain/script/address.ts'
import type { ImportRequest } from '../../src/schemas/api/api.ts'
import type { CircleState } from '../../src/schemas/api/circles.ts'
import type {
  AgreementEnvelope,
  CheckpointTuple,
  PairingObject,
} from '../../src/schemas/api/pairing.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { CONSOLE_PAGES } from '../support/built.ts'
import { walletOf } from '../support/chain/keys.ts'
import { Visitor } from '../support/console/visitor.ts'
import { installIn, runPage } from '../support/docs/run-page.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { coinOf, devnetOf, listInscription } from '../support/market/trader.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'

const MAX_SCRIPT_BYTES = 100_000
/** Each would run, or break out of its element, if it became markup anywhere. */
const HOSTILE = [
  '<img src=x onerror="window.ran=1">',
  '"><script>window.ran=1</script>',
  '<svg/onload=window.ran=1>',
  'javascript:window.ran=1',
  '</bdi></q><iframe srcdoc="<script>parent.ran=1</script>">',
  '{{constructor.constructor("window.ran=1")()}}',
]
/** What must not appear anywhere, whatever strangers wrote. */
const MARKUP = 'img, iframe, main script, [onerror], [onload], a[href^="javascript"]'
/** What Chromium calls good. */
const MAX_SHIFTED = 0.1
const OPERATOR = 'c0'.repeat(32)

let market: Market
let visitor: Visitor
beforeAll(async () => {
  const sha256 = createHash('sha256').update(OPERATOR).digest('hex')
  market = await openMarket({ OPERATOR_TOKENS: `mia:${sha256}`, RATE_LIMIT_OPERATOR: '1000' })
  visitor = await Visitor.start()
})
afterEach(() => visitor.closePages())
afterAll(async () => {
  await visitor?.end()
  await market?.end()
})

const visit = (path: string, options?: BrowserContextOptions) =>
  visitor.visit(`${market.address}${path}`, options)

const rowOf = (page: Page, { id }: Pick<OrderSummary, 'id'>) => page.locator(`[data-order="${id}"]`)

test(`the first view needs less than ${MAX_SCRIPT_BYTES} bytes of JavaScript, compressed`, () => {
  const page = readFileSync(join(CONSOLE_PAGES, 'index.html'), 'utf8')
  const scripts = [...page.matchAll(/"\/console\/(assets\/[^"]+\.js)"/g)].map(
    ([, name = '']) => name,
  )
  expect(scripts.length).toBeGreaterThan(0)
  const sizes = scripts.map((name) => gzipSync(readFileSync(join(CONSOLE_PAGES, name))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES)
})

describe('the book', () => {
  test('opens on live asks, the cheapest first; what was sold is a click away', async () => {
    const { order: dear } = await listInscription(market, { priceSats: 91_000n })
    const { order: cheap } = await listInscription(market, { priceSats: 90_000n })
    const { page, complaints } = await visit('/?priceMin=90000&priceMax=91000')
    await rowOf(page, dear).waitFor()
    const ids = await page
      .locator('[data-order]')
      .evaluateAll((rows) =>
        rows.map((row) => (row as unknown as { dataset: { order: string } }).dataset.order),
      )
    expect(ids).toEqual([cheap.id, dear.id])
    await page.getByLabel('To, sats').fill('0.0009 BTC')
    await page.keyboard.press('Tab')
    await page.getByText('1 order', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sold', exact: true }).click()
    await page.getByText('No order matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    expect(new URL(page.url()).search).toBe('?view=sold')
    expect(complaints).toEqual([])
  })

  test('a link to another page puts the focus on it, at its top', async () => {
    const { order } = await listInscription(market)
    const { page } = await visit('/')
    await rowOf(page, order).getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('What is signed').first().waitFor()
    expect(await page.evaluate('[document.activeElement.id, scrollY]')).toEqual(['main', 0])
  })

  test('shows orders, and those that arrive and change while it is open', async () => {
    const { order: first } = await listInscription(market)
    const { page, complaints } = await visit('/')
    await rowOf(page, first).getByText('ready to buy').waitFor()
    expect(await rowOf(page, first).textContent()).toContain('0.00040000 BTC')
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    const { order: second } = await listInscription(market, { priceSats: 70_000n })
    await rowOf(page, second).getByText('0.00070000 BTC').waitFor()
    expect(complaints).toEqual([])
  })

  test('keeps filters, sort and search in its address', async () => {
    const { order } = await listInscription(market)
    const { page, complaints } = await visit('/')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByRole('button', { name: /^asks/ }).click()
    await page.getByLabel('Sort').selectOption('price_desc')
    await page.getByLabel('Search the book').fill(order.id.slice(0, 16))
    await page.keyboard.press('Enter')
    await page.getByText('1 order', { exact: true }).waitFor()
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      side: 'ASK',
      sort: 'price_desc',
      search: order.id.slice(0, 16),
    })
    await page.reload()
    await page.getByText('1 order', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^asks/ }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    await page.goBack()
    await rowOf(page, order).waitFor()
    expect(complaints).toEqual([])
  })
})

test('one box finds orders, outputs, objects and circles, from anywhere with /', async () => {
  const { order, offered } = await listInscription(market)
  const { page, complaints } = await visit('/console/market')
  await page.getByRole('heading', { name: 'Statistics', exact: true }).click()
  const find = async (text: string) => {
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill(text)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('q') === text)
    await page.getByRole('heading', { name: 'Find' }).click()
  }
  const orders = page.getByRole('region', { name: 'Orders' })
  await find(order.id.toUpperCase())
  await orders.getByRole('link', { name: /^Inscription/ }).waitFor()
  await page.getByText('No circle, lineage or shard.').waitFor()
  await find(outpointText(offered.outpoint))
  await orders.getByRole('link', { name: /^Inscription/ }).waitFor()
  await page.getByRole('link', { name: 'What is signed for this output' }).waitFor()
  await find('no such thing')
  await orders.getByText('No order.').waitFor()
  // What pairing and circles lack is 404, which the browser itself writes into its console.
  expect(complaints.filter((one) => !one.includes('404'))).toEqual([])
})

test('an order settles in three clicks, as its page shows without a reload', async () => {
  const { page, complaints } = await visit('/console/devnet')
  await page.getByRole('button', { name: 'List an inscription' }).click()
  const link = page.getByRole('link', { name: 'Your order' })
  await link.waitFor()
  const { page: order, complaints: others } = await visit((await link.getAttribute('href')) ?? '')
  await order.locator('.page-head .badge').filter({ hasText: 'live' }).waitFor()
  await page.getByRole('button', { name: 'Buy it' }).click()
  await order.locator('.page-head .badge').filter({ hasText: 'being spent' }).waitFor()
  await page.getByRole('button', { name: 'Mine a block' }).click()
  await order.locator('.page-head .badge').filter({ hasText: 'settled' }).waitFor()
  await order.getByText('Settled by').waitFor()
  expect([...complaints, ...others]).toEqual([])
})

test('the tutorial, command by command, ends in a settled order that the page shows', async () => {
  const folder = temporaryDirectory()
  try {
    installIn(folder.path)
    await runPage('docs/tutorial.md', folder.path, market.address)
    const { id } = JSON.parse(readFileSync(join(folder.path, 'order.json'), 'utf8'))
    const { page, complaints } = await visit(`/console/orders/${id}`)
    await page.locator('.page-head .badge').filter({ hasText: 'settled' }).waitFor()
    expect(complaints).toEqual([])
  } finally {
    folder.drop()
  }
})

test('texts of strangers are text', async () => {
  const shown: OrderSummary[] = []
  for (const text of HOSTILE) {
    const { order } = await listInscription(market)
    const { psbt } = (await market.get(`orders/${order.id}/artifact`)).body
    const claims = { psbt, sourceId: text, protocolId: text.slice(0, 64), token: text }
    expect((await market.post('orders/import', claims)).status).toBe(201)
    const answer = await fetch(`${market.address}/api/market/admin/orders/${order.id}/withdraw`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: text }),
    })
    expect(answer.status).toBeLessThan(300)
    shown.push((await market.get(`orders/${order.id}`)).body)
  }
  const { page: book, complaints } = await visit('/?state=WITHDRAWN')
  for (const order of shown) {
    await rowOf(book, order).waitFor()
    const { page } = await visit(`/console/orders/${order.id}`)
    const text = HOSTILE[shown.indexOf(order)] ?? ''
    await page.locator('q', { hasText: text }).waitFor()
    await page.locator('bdi', { hasText: text }).first().waitFor()
    expect(await page.locator(MARKUP).count()).toBe(0)
    expect(await page.evaluate('window.ran')).toBeUndefined()
  }
  expect(await book.locator(MARKUP).count()).toBe(0)
  expect(await book.evaluate('window.ran')).toBeUndefined()
  expect(complaints).toEqual([])
})

test('the text of an address is text, and so is what was not found', async () => {
  const text = HOSTILE.join(' ')
  const written = encodeURIComponent(text)
  for (const path of [
    `/?search=${written}&protocol=${written}`,
    `/console/orders/${written}`,
    `/console/market?protocol=${written}&token=${written}`,
    `/console/sell/outputs?of=${written}`,
    `/console/pairing/objects/${written}`,
    `/console/${written}`,
  ]) {
    const { page, complaints } = await visit(path)
    await page.getByText(/block [0-9]+ ·/).waitFor()
    expect(await page.locator(MARKUP).count(), path).toBe(0)
    expect(await page.evaluate('window.ran'), path).toBeUndefined()
    // The service refuses most of them, which the browser logs.
    expect(complaints.filter((complaint) => !complaint.includes('status of 4'))).toEqual([])
  }
})

const CANDLE = { protocolId: 'inscriptions', token: 'CANDLE' }
const WAITS = { timeout: 20_000, interval: 200 }

/** A move on the devnet, as its page makes it. */
async function play(move: string, body: object): Promise<unknown> {
  const answer = await fetch(`${market.address}/devnet/${move}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
  return answer.json()
}

/** What a page shows once it has read its data. */
const SHOWS = {
  book: 'ready to buy',
  order: /^Proved: the offered output is unspent/,
  devnet: 'What happened last',
  sell: 'Sell with your wallet',
  pairing: 'Root of objects',
  operations: 'Verified reads can be answered',
  circles: /^After block|No circle was confirmed/,
  market: /The same as a table|No live order/,
  outputs: 'can be taken now',
}

test('the market has its floor, depth, candles and sales', async () => {
  const psbts: string[] = []
  for (const priceSats of ['50000', '65000']) {
    const made = (await play('offer', { text: 'drawn', priceSats })) as ImportRequest
    const offer = { ...made, ...CANDLE }
    expect((await market.post('orders/import', offer)).status).toBe(201)
    psbts.push(offer.psbt)
  }
  await play('buy', { psbt: psbts[0], priceSats: '50000' })
  await play('mine', { blocks: 1 })
  const query = new URLSearchParams({ protocol: CANDLE.protocolId, token: CANDLE.token }).toString()
  const hasRows = async (name: string) => {
    const { rows }: { rows: unknown[] } = (await market.get(`stats/${name}?${query}`)).body
    return rows.length > 0
  }
  await expect.poll(() => hasRows('candles'), WAITS).toBe(true)
  await expect.poll(() => hasRows('depth'), WAITS).toBe(true)

  const { page, complaints } = await visit('/console/market')
  await page.getByRole('link', { name: 'inscriptions · CANDLE' }).click()
  await page.getByRole('img', { name: 'Prices of the sales by day' }).waitFor()
  const starts = page.getByRole('region', { name: 'Candles' }).locator('details tbody th')
  expect(await starts.allTextContents()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
  await page.getByRole('img', { name: 'Live orders up to each price' }).waitFor()
  await page.getByRole('img', { name: 'Floor and best bid by day' }).waitFor()
  const today = page.getByRole('region', { name: '24 hours' })
  await today.filter({ hasText: '1 sale' }).getByText('50\u202f000').waitFor()
  // Until its own sales have come, the page shows those of all markets.
  const sales = page.getByRole('region', { name: 'Recent sales' }).getByRole('row')
  await sales.filter({ hasText: 'CANDLE' }).getByText('50\u202f000').waitFor()
  expect(complaints).toEqual([])
})

test('both pipelines vouch for an object, and their nine fields are compared', async () => {
  await play('objects', { move: 'create', label: 'Seen.here' })
  const countObjects = async () => {
    const { items }: { items: PairingObject[] } = (await market.get('/pairing/objects')).body
    return items.length
  }
  await expect.poll(countObjects, WAITS).toBe(1)
  const { page, complaints } = await visit('/console/pairing')
  await page.getByText('Both pipelines signed').waitFor()
  await page.getByRole('cell', { name: 'yes, by the checkpoint' }).first().waitFor()

  const { items }: { items: CheckpointTuple[] } = (await market.get('/pairing/checkpoints')).body
  const signed = `/pairing/agreement/${items[0]?.height}`
  const envelope: AgreementEnvelope = (await market.get(signed)).body
  const tuple = { ...envelope.tuple, carriersRoot: '00'.repeat(32) }
  await page.getByText('Compare with another pipeline').click()
  await page.getByLabel('Envelope, JSON').fill(JSON.stringify({ ...envelope, tuple }))
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('They differ, first in: Root of carriers').waitFor()

  await page
    .getByRole('row', { name: /Seen\.here/ })
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('region', { name: 'What they confirm' }).getByText('Seen.here').waitFor()
  await page
    .getByRole('row', { name: /^created/ })
    .getByRole('link')
    .last()
    .click()
  await page.getByRole('heading', { name: 'Valid' }).waitFor()
  expect(complaints).toEqual([])
})

describe('the circles', () => {
  const shardOf = ({ outpoints }: Played) => outpoints[0] ?? ''

  test('are drawn, chosen by key, gone back through, and hashed by the page itself', async () => {
    const first = (await play('circles', { move: 'circle', members: 3 })) as Played
    const next = { move: 'circle', members: 2, shards: [shardOf(first)] }
    const second = (await play('circles', next)) as Played
    await play('circles', { move: 'close', shards: [shardOf(second)] })
    const revision = async () => {
      const state: CircleState = (await market.get('/circles/state')).body
      return state.revision
    }
    await expect.poll(revision, WAITS).toBe(3)

    const { page, complaints } = await visit('/console/circles')
    await page.getByText('4 lineages, 2 circles, 5 shards').waitFor()
    await page.getByText('The same: this browser hashed').waitFor()
    await page.getByRole('img', { name: /^4 lineages over the height/ }).focus()
    await page.keyboard.press('n')
    await page.getByText('3 members').waitFor()
    await page.keyboard.press('n')
    await page.getByText('2 members').waitFor()
    await page.getByLabel('As of a block').press('ArrowLeft')
    await page.getByText(/: revision 2, hash/).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('a wallet in the page, nothing typed but the price', () => {
  const badge = (page: Page) => page.locator('.page-head .badge')

  test('lists, buys and sends, and the order settles', async () => {
    const { page: seller, complaints } = await visit('/console/sell')
    await seller.getByRole('button', { name: 'Connect a devnet wallet' }).click()
    await seller.getByLabel('Price, sats').fill('60000')
    await seller.getByRole('button', { name: 'Show what I receive' }).click()
    await seller.getByText(/receive 60.000 sats .* 50.000 sats net/).waitFor()
    await seller.getByRole('button', { name: 'Sign and publish' }).click()
    await seller.getByRole('link', { name: 'your order' }).click()
    await badge(seller).filter({ hasText: 'live' }).waitFor()
    await keepPicture(seller, 'wallet-order')

    const { page: buyer, complaints: others } = await visit(new URL(seller.url()).pathname)
    await buyer.getByRole('button', { name: 'Connect a devnet wallet' }).click()
    await buyer.getByRole('button', { name: 'Buy', exact: true }).click()
    await buyer.getByRole('button', { name: 'Sign in the wallet' }).click()
    await buyer.getByText('Now broadcast it').waitFor()
    await keepPicture(buyer, 'wallet-bought')
    await expectNoFinding(buyer)
    await buyer.getByRole('button', { name: 'Send it' }).click()
    await badge(seller).filter({ hasText: 'being spent' }).waitFor()
    await buyer.getByText('It waits for a block').waitFor()
    await play('mine', { blocks: 1 })
    await badge(seller).filter({ hasText: 'settled' }).waitFor()
    expect([...complaints, ...others]).toEqual([])
  })

  test('withdraws, and signs the transaction that ends the signature', async () => {
    const { page, complaints } = await visit('/console/sell')
    await page.getByRole('button', { name: 'Connect a devnet wallet' }).click()
    await page.getByLabel('Price, sats').fill('70000')
    await page.getByRole('button', { name: 'Show what I receive' }).click()
    await page.getByRole('button', { name: 'Sign and publish' }).click()
    await page.getByRole('link', { name: 'your order' }).click()
    const order = new URL(page.url()).pathname
    await page.getByRole('link', { name: 'Withdraw it as its seller' }).click()
    await page.getByRole('button', { name: 'Withdraw it' }).click()
    await page.locator('.verdict .badge').filter({ hasText: 'withdrawn' }).waitFor()
    await page.getByRole('button', { name: 'Sign the transaction that ends it' }).click()
    await page.getByText('every copy of the order has ended').waitFor()
    await expectNoFinding(page)
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('It waits for a block').waitFor()
    await play('mine', { blocks: 1 })
    await page.goto(`${market.address}${order}`)
    await badge(page).waitFor()
    const kept = JSON.parse(await page.evaluate('JSON.stringify(localStorage)'))
    expect(kept).toEqual({ wallet: 'Devnet wallet' })
    expect(complaints).toEqual([])
  })
})

describe('no serious finding of axe, and nothing wider than the screen', () => {
  test.each<[width: number, colorScheme: 'light' | 'dark']>([
    [360, 'dark'],
    [768, 'light'],
    [1_280, 'light'],
  ])('%d px, %s', async (width, colorScheme) => {
    const { order, offered } = await listInscription(market)
    for (const [name, path] of [
      ['book', '/'],
      ['order', `/console/orders/${order.id}`],
      ['devnet', '/console/devnet'],
      ['pairing', '/console/pairing'],
      ['circles', '/console/circles'],
      ['operations', '/console/operations'],
      ['sell', '/console/sell'],
      ['market', '/console/market?protocol=inscriptions&token=CANDLE'],
      ['outputs', `/console/sell/outputs?of=${outpointText(offered.outpoint)}`],
    ] as const) {
      const { page, complaints } = await visit(path, {
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: 'reduce',
      })
      await page.getByText(SHOWS[name]).filter({ visible: true }).first().waitFor()
      await page.getByText(/block [0-9]+ ·/).waitFor()
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow), name).toBe(0)
      expect(await shifted(page), name).toBeLessThan(MAX_SHIFTED)
      await expectNoFinding(page)
      expect(complaints).toEqual([])
      await keepPicture(page, `${name}-${width}-${colorScheme}`)
      await expectTabStops(page, name)
    }
  })
})

async function expectNoFinding(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const findings = (await page.evaluate('axe.run()')) as axe.AxeResults
  const serious = findings.violations.filter(
    ({ impact }) => impact === 'serious' || impact === 'critical',
  )
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
}

/** How far what was seen has moved since, without a click: Chromium's cumulative layout shift. */
const shifted = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries()
      .filter(({ hadRecentInput }) => !hadRecentInput)
      .reduce((sum, { value }) => sum + value, 0)
    )).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => done(0), 100)
  })`)

/** Tab comes to everything that can be used, one after the other, and each shows that it is there. */
async function expectTabStops(page: Page, name: string): Promise<void> {
  const stops = await page.evaluate<number>(`(() => {
    document.activeElement.blur()
    const all = 'a[href], button:enabled, input, select, textarea, summary, [tabindex="0"]'
    return [...document.querySelectorAll(all)].filter((one) => one.checkVisibility()).length
  })()`)
  const seen = new Set<string>()
  for (let at = 0; at < stops; at += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<string>(`(() => {
      const one = document.activeElement
      one.dataset.stop ??= String(${at})
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      return [one.tagName, one.dataset.stop, outlineStyle, outlineWidth].join(' ')
    })()`)
    expect(stop, name).toMatch(
      /^(A|BUTTON|INPUT|SELECT|TEXTAREA|SUMMARY|CANVAS|DIV) \d+ solid 3px$/,
    )
    seen.add(stop)
  }
  expect(seen.size, name).toBe(stops)
}

/** `PICTURES=folder` saves screenshots of the pages. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

test('a PSBT is shown as a QR code, and the refusal of a returned one is shown', async () => {
  const { order } = await listInscription(market)
  const { page, complaints } = await visit(`/console/orders/${order.id}`)
  await page.getByText('The signed order as a PSBT').click()
  await page.getByRole('button', { name: 'Show as a QR code' }).click()
  await page.getByRole('img', { name: 'The PSBT as a QR code' }).waitFor()
  await page.getByLabel('Signed PSBT').fill('cHNidP8=')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Signed PSBT').fill('70736274ff')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'PSBT' }).waitFor()
  // The refusal of the service is a 4xx, which the browser logs.
  expect(complaints.filter((text) => !text.includes('status of 4'))).toEqual([])
})

test('a bid has the price that the filter filters, and the texts of a bid', async () => {
  const owner = accountOf('console owner', 'p2wpkh')
  const buyer = accountOf('console buyer', 'p2wpkh')
  const bid = (priceSats: bigint) =>
    makeBid({
      wanted: coinOf(market, owner, 10_000n),
      seller: owner,
      buyer,
      funding: coinOf(market, buyer, 200_000n),
      priceSats,
    })
  const claims = { psbt: bid(75_000n), protocolId: 'runes', token: 'BID' }
  const order: OrderSummary = (await market.post('orders/import', claims)).body
  expect(order).toMatchObject({ state: 'LIVE', side: 'BID' })
  const { page: book, complaints } = await visit('/?priceMin=70000&priceMax=80000&side=BID')
  const row = rowOf(book, order)
  await row.getByText('0.00075000 BTC').first().waitFor()
  await row.getByText(/^with postage 85.000$/).waitFor()
  const { page } = await visit(`/console/orders/${order.id}`)
  await page.getByRole('heading', { name: 'What the owner must know' }).waitFor()
  await page.getByText('the buyer signed the whole purchase').waitFor()
  await page.getByText(/^With postage 85.000 sats/).waitFor()
  expect(await page.getByText('the seller signed').count()).toBe(0)
  expect(await page.getByText('What a buyer must know').count()).toBe(0)
  await keepPicture(page, 'bid')
  expect(complaints).toEqual([])
})

describe('a seller', () => {
  const seller = walletOf('p2wpkh', 'console')
  const address = addressOfScript(seller.scriptHex, 'regtest') ?? ''

  test('builds, signs elsewhere, publishes, and withdraws by a proof', async () => {
    const body = Buffer.from('from the page')
    const terms = { contentType: 'text/plain', body, postage: 10_000n }
    const { inscriptionId, outpoint } = devnetOf(market).inscribe(address, terms)
    const { page, complaints } = await visit('/console/sell')
    await page.getByLabel('Token').fill('from the page')
    await page.getByLabel('Inscription id').fill(inscriptionId)
    await page.getByLabel('Output that is sold').fill(outpointText(outpoint))
    await page.getByLabel('Price paid to you').fill('60000')
    await page.getByLabel('Address that is paid').fill(address)
    await page.getByRole('button', { name: 'Build' }).click()
    const built = await page.getByLabel('PSBT, base64', { exact: true }).inputValue()
    const half = Transaction.fromPSBT(Buffer.from(built, 'base64'))
    for (const secret of seller.secrets) half.signIdx(secret, 0, [0x83])
    await page.getByLabel('Signed PSBT').fill(Buffer.from(half.toPSBT()).toString('base64'))
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('link', { name: 'your order' }).click()
    await page.getByText('Proved: the offered output is unspent').waitFor()
    await page.getByText('Not examined: runes.').waitFor()

    await page.getByRole('link', { name: 'Withdraw it as its seller' }).click()
    await page.getByRole('button', { name: 'Get the message' }).click()
    const message = await page.getByLabel('Message').inputValue()
    await page.getByLabel('Signature').fill(proveOwnership(seller, message).text)
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await page.locator('.verdict .badge').filter({ hasText: 'withdrawn' }).waitFor()

    await page.goto(`${market.address}/console/sell/outputs?of=${outpointText(outpoint)}`)
    await page.getByText('can be taken now').waitFor()
    await page.getByLabel('Up to 100 outputs').fill(outpointText(outpoint))
    await page.getByRole('button', { name: 'Check outputs' }).click()
    await page.getByRole('cell', { name: 'no', exact: true }).waitFor()
    await page.getByLabel('Output (TXID:VOUT) or address').fill(address)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: /^Exposure of/ }).waitFor()
    expect(complaints).toEqual([])
  })

  test('is told of a loss before the PSBT is handed out, and before it is published', async () => {
    const body = Buffer.from('a gift')
    const terms = { contentType: 'text/plain', body, postage: 10_000n }
    const { inscriptionId, outpoint } = devnetOf(market).inscribe(address, terms)
    const { page, complaints } = await visit('/console/sell')
    await page.getByLabel('Token').fill('a gift')
    await page.getByLabel('Inscription id').fill(inscriptionId)
    await page.getByLabel('Output that is sold').fill(outpointText(outpoint))
    await page.getByLabel('Price paid to you').fill('4000')
    await page.getByLabel('Address that is paid').fill(address)
    await page.getByRole('button', { name: 'Build' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'sats net' })
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/receive 4.000 sats .* holds 10.000: -6.000 sats net/)
    const handoff = page.getByLabel('PSBT, base64', { exact: true })
    expect(await handoff.count()).toBe(0)
    await page.getByLabel('It is a gift').check()
    const half = Transaction.fromPSBT(Buffer.from(await handoff.inputValue(), 'base64'))
    for (const secret of seller.secrets) half.signIdx(secret, 0, [0x83])
    await page.getByLabel('Signed PSBT').fill(Buffer.from(half.toPSBT()).toString('hex'))
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Nothing was published.').waitFor()
    await page.getByRole('button', { name: 'It is a gift: publish it' }).click()
    await page.getByRole('link', { name: 'your order' }).click()
    await page.getByText('given away at a loss').waitFor()
    expect(complaints).toEqual([])
  })

  test('sees what is wrong with a PSBT, and its remedy', async () => {
    const { page, complaints } = await visit('/console/sell/inspect')
    await page.getByLabel('PSBT (base64 or hexadecimal)').fill('cHNidP8=')
    await page.getByRole('button', { name: 'Inspect' }).click()
    await page.getByText('An import would refuse it').waitFor()
    await page.getByText('Remedy:').first().waitFor()
    expect(complaints).toEqual([])
  })
})

test('an operator hides an order and reads its log; the token is gone with the page', async () => {
  const { order } = await listInscription(market)
  const { page, complaints } = await visit(`/console/orders/${order.id}`)
  await page.getByRole('link', { name: 'Moderate it as an operator' }).click()
  const token = page.getByLabel('Operator’s token')
  await token.fill('no such token')
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByRole('alert').waitFor()
  await token.fill(OPERATOR)
  await page.getByRole('button', { name: 'Use it' }).click()
  const partitions = page.getByRole('region', { name: 'Partitions' })
  await partitions.getByText(/^\d+ partitions?, none behind\.$/).waitFor()
  await partitions.getByText('Each partition').click()
  await partitions
    .getByRole('cell', { name: /^block \d+$/ })
    .first()
    .waitFor()
  await page.getByText('No feed is configured.').waitFor()
  await page.getByText('No record was set aside.').waitFor()
  await page.getByText('No webhook.').waitFor()
  await page.getByText('None was found.').waitFor()
  await page.getByText('Add a webhook').click()
  await page.getByLabel('Name').fill('shop')
  await page.getByLabel('Address of the endpoint').fill('https://hooks.example/market')
  await page.getByLabel('Orders in state').selectOption('LIVE')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const secret = page.getByLabel('Secret of shop')
  await secret.waitFor()
  const first = await secret.inputValue()
  await page.getByRole('button', { name: 'New secret' }).click()
  await expect.poll(() => secret.inputValue(), WAITS).not.toBe(first)
  expect(await page.getByLabel('Order id').inputValue()).toBe(order.id)
  await page.getByRole('button', { name: 'Do it' }).click()
  await page.getByText('Hidden now (1)').waitFor()
  await page.getByRole('heading', { name: 'Log of' }).waitFor()
  await page
    .getByText(/by operator/)
    .first()
    .waitFor()
  await keepPicture(page, 'operator-1280-light')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete shop for good' }).click()
  await page.getByText('No webhook.').waitFor()
  await page.getByLabel('Move').selectOption('unhide')
  await page.getByRole('button', { name: 'Do it' }).click()
  await page.getByText('Hidden now (0)').waitFor()

  const kept = 'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])'
  expect(await page.evaluate(kept)).not.toContain(OPERATOR)
  await page.getByRole('link', { name: 'Book' }).click()
  await page.getByRole('link', { name: 'Operations' }).click()
  await page.getByLabel('Operator’s token').waitFor()
  // The refusal of the wrong token is a 401, which the browser logs.
  expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
})
