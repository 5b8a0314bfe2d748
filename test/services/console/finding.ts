import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accountOf } from '../../../src/devnet/people/wallet.ts'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import { makeThings, type Things } from '../../support/console/things.ts'

const linkIn =
  (region: string, name: RegExp) =>
  (page: Page): Locator =>
    page.getByRole('region', { name: region }).getByRole('link', { name }).first()
const anOrder = linkIn('Orders', /^Inscription/)
const textIn =
  (region: string, text: string | RegExp) =>
  (page: Page): Locator =>
    page.getByRole('region', { name: region }).getByText(text)

interface Kind {
  name(things: Things): string
  /** What the page comes to show. */
  found: readonly ((page: Page) => Locator)[]
}

const KINDS: Readonly<Record<string, Kind>> = {
  order: {
    name: ({ live }) => live.order.id.toUpperCase(),
    found: [anOrder, textIn('Circles', 'No circle, lineage or shard.')],
  },
  inscription: { name: ({ live }) => live.inscriptionId, found: [anOrder] },
  address: {
    name: () => accountOf('seller', 'p2tr').address,
    found: [anOrder, (page) => page.getByRole('link', { name: 'What is signed for this address' })],
  },
  output: {
    name: ({ live }) => outpointText(live.offered.outpoint),
    found: [anOrder, (page) => page.getByRole('link', { name: 'What is signed for this output' })],
  },
  'transaction of a sale': {
    name: ({ sold }) => sold.settlement?.txid ?? 'none',
    found: [anOrder, textIn('Orders', /bought by this transaction/)],
  },
  'pairing transaction': {
    name: ({ pairing }) => pairing,
    found: [textIn('Pairing', /^transaction/)],
  },
  object: { name: ({ object }) => object.objectKey, found: [textIn('Pairing', 'Looked.at')] },
  label: { name: () => 'Looked.at', found: [textIn('Pairing', 'Looked.at')] },
  circle: { name: ({ circle }) => circle, found: [textIn('Circles', /^A circle of 2 members/)] },
  lineage: { name: ({ lineage }) => lineage, found: [textIn('Circles', /^A lineage, /)] },
  shard: { name: ({ shard }) => shard, found: [textIn('Circles', /^A shard of the lineage/)] },
  nothing: { name: () => 'no such thing', found: [textIn('Orders', 'No order.')] },
}

export function findingActs(site: ConsoleSite): void {
  test('one box finds each kind of thing by its name, from anywhere with /', async () => {
    const things = await makeThings(site)
    const { page, complaints } = await site.visit('/console/market')
    await page.getByRole('heading', { name: 'Statistics', exact: true }).click()
    for (const [kind, { name, found }] of Object.entries(KINDS)) {
      const text = name(things)
      await page.keyboard.press('/')
      await page.getByRole('searchbox').fill(text)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('q') === text)
      for (const shown of found)
        await shown(page)
          .waitFor()
          .catch((cause: unknown) => {
            throw new Error(`no ${kind} is found by ${text}`, { cause })
          })
      await page.getByRole('heading', { name: 'Find' }).click()
    }
    // What pairing and circles lack is 404, which the browser itself writes into its console.
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([])
  })
}
