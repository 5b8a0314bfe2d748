import type { Page } from 'playwright-core'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import type { Things } from './things.ts'

export interface ConsolePage {
  name: string
  /** As the router of the console has it; null: what it has for every other address. */
  route: string | null
  path(things: Things): string
  /** Once it has read its data. */
  shows: string | RegExp
  /** Brings up what it shows only then. */
  use?(page: Page): Promise<void>
}

/** Every route of the console (`test/console/routes.test.ts`), in each form that looks different. */
export const PAGES: readonly ConsolePage[] = [
  { name: 'book', route: '/', path: () => '/', shows: 'ready to buy' },
  { name: 'sold', route: '/', path: () => '/?view=sold', shows: 'settled' },
  { name: 'watched', route: '/', path: () => '/?view=watched', shows: 'Nothing is watched.' },
  { name: 'mine', route: '/', path: () => '/?view=mine', shows: 'Connect a devnet wallet' },
  {
    name: 'tiles',
    route: '/console',
    path: () => '/console',
    shows: 'ready to buy',
    use: async (page) => {
      await page.getByRole('button', { name: 'Tiles' }).click()
      await page.locator('li[data-order]').first().waitFor()
    },
  },
  {
    name: 'order',
    route: '/console/orders/:id',
    path: ({ live }) => `/console/orders/${live.order.id}`,
    shows: /^Proved: the offered output is unspent/,
  },
  {
    name: 'bid',
    route: '/console/orders/:id',
    path: ({ bid }) => `/console/orders/${bid.id}`,
    shows: 'What the owner must know',
  },
  {
    name: 'sold order',
    route: '/console/orders/:id',
    path: ({ sold }) => `/console/orders/${sold.id}`,
    shows: 'Settled by',
  },
  {
    name: 'find',
    route: '/console/find',
    path: ({ live }) => `/console/find?q=${outpointText(live.offered.outpoint)}`,
    shows: 'Both pipelines confirm that there is none.',
  },
  {
    name: 'markets',
    route: '/console/market',
    path: () => '/console/market',
    shows: /^All rows:/,
  },
  {
    name: 'market',
    route: '/console/market',
    path: () => '/console/market?protocol=inscriptions&token=CANDLE',
    shows: /The same as a table|No live order/,
  },
  {
    name: 'sell',
    route: '/console/sell/:section?',
    path: () => '/console/sell',
    shows: 'Sell with your wallet',
  },
  {
    name: 'inspect',
    route: '/console/sell/:section?',
    path: () => '/console/sell/inspect',
    shows: /^What a listing would say/,
    use: async (page) => {
      await page.getByLabel('PSBT (base64 or hexadecimal)').fill('cHNidP8=')
      await page.getByRole('button', { name: 'Inspect' }).click()
      await page.getByText('Remedy:').first().waitFor()
    },
  },
  {
    name: 'outputs',
    route: '/console/sell/:section?',
    path: ({ live }) => `/console/sell/outputs?of=${outpointText(live.offered.outpoint)}`,
    shows: 'can be taken now',
  },
  {
    name: 'safe',
    route: '/console/sell/:section?',
    path: () => '/console/sell/safe',
    shows: 'Which outputs are safe to spend',
  },
  {
    name: 'withdraw',
    route: '/console/sell/:section?',
    path: ({ live }) => `/console/sell/withdraw?order=${live.order.id}`,
    shows: 'Withdraw with your wallet',
    use: async (page) => {
      await page.getByRole('button', { name: 'Get the message' }).click()
      await page.getByLabel('Message').waitFor()
    },
  },
  {
    name: 'pairing',
    route: '/console/pairing/*?',
    path: () => '/console/pairing?q=Looked.at',
    shows: /^9 of 9 fields agree/,
  },
  {
    name: 'object',
    route: '/console/pairing/objects/:key',
    path: ({ object }) => `/console/pairing/objects/${object.objectKey}`,
    shows: 'Both pipelines signed',
  },
  {
    name: 'transaction',
    route: '/console/pairing/transactions/:txid',
    path: ({ pairing }) => `/console/pairing/transactions/${pairing}`,
    shows: 'Valid',
  },
  {
    name: 'circles',
    route: '/console/circles',
    path: () => '/console/circles',
    shows: /^After block/,
  },
  {
    name: 'operations',
    route: '/console/operations',
    path: () => '/console/operations',
    shows: 'Verified reads can be answered',
  },
  {
    name: 'devnet',
    route: '/console/devnet',
    path: () => '/console/devnet',
    shows: 'What happened last',
  },
  { name: 'no page', route: null, path: () => '/console/nothing', shows: 'To the book' },
]
