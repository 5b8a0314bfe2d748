import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SaleTable } from '../src/market/sale-table.tsx'
import { OrderView } from '../src/order/order-view.tsx'
import { PreflightView } from '../src/order/preflight-view.tsx'
import { EndingSteps } from '../src/sell/ending-steps.tsx'
import { wholeOrder } from './orders.ts'
import { shown } from './shown.tsx'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => void vi.unstubAllGlobals())

const BASE = 'https://explorer.example'
const AT = '2026-01-20T00:00:00.000Z'
const [SALE, SPEND, BLOCK, BEFORE] = ['a', 'b', 'e', 'f'].map((digit) => digit.repeat(64))
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
type Known = readonly (readonly [key: readonly string[], data: unknown])[]

const order = wholeOrder({
  state: 'SETTLED',
  actionability: 'NONE',
  settlement: { txid: SALE, confirmations: 1 },
  validation: {
    ...{ checkedAt: AT, reasons: ['settled'], assetStatus: 'VERIFIED' },
    ...{ nodeStatus: 'OUTPOINT_SPENT', nodeTip: { height: 129, hash: BLOCK } },
  },
})
const change = {
  ...{ seq: 2, kind: 'transition', fromState: 'LIVE', state: 'SETTLED', reason: 'settled' },
  ...{ actor: 'chain', cause: null, observedAt: AT, spendTxid: SPEND, spendHeight: 133 },
  evidence: {
    ...{ answeredAt: AT, mempoolSequence: null, index: { status: 'unavailable', reason: 'x' } },
    node: {
      ...{ status: 'ready', tip: { height: 128, hash: BEFORE } },
      ...{ output: { status: 'spent' }, signatures: [] },
    },
  },
}
const sale = {
  ...{ order_id: order.id, txid: SALE, settled_at: AT, sold_at: AT, block_height: 9 },
  ...{ token: null, protocol_id: 'inscriptions', is_taken_back: false },
  ...{ gross_price_sats: '1', net_price_sats: '1' },
}
const chosen = { protocol: 'inscriptions', token: null }
const spend = {
  ...{ outpoint: `${SALE}:0`, destinationAddress: ADDRESS, outputValuesSats: ['9846'] },
  ...{ networkFeeSats: '154', feeRateSatsPerVb: '1.4', notices: [] },
}
const PLACES: [what: string, component: preact.ComponentChild, known: Known, links: string[]][] = [
  [
    'a sale, its changes and their blocks',
    <OrderView key="order" order={order} connection="live" />,
    [[['versions', order.id], { versions: [change], isWithheld: false, isCut: false }]],
    [`tx/${SALE}`, `tx/${SPEND}`, `block/${BLOCK}`, `block/${BEFORE}`],
  ],
  [
    'recent sales',
    <SaleTable key="sales" chosen={chosen} />,
    [[['statistics', 'sales', chosen] as never, { rows: [sale], from: null }]],
    [`tx/${SALE}`],
  ],
  [
    'a purchase',
    <PreflightView
      key="purchase"
      result={{ allowed: true, orderId: order.id, txid: SALE } as never}
    />,
    [],
    [`tx/${SALE}`],
  ],
  [
    'an address',
    <EndingSteps key="end" outpoint={spend.outpoint} connection={{} as never} />,
    [[['self-spend', spend.outpoint], spend]],
    [`address/${ADDRESS}`],
  ],
]

test.each(PLACES)('%s: the explorer that the operator named has more', async (...given) => {
  const [, component, known, links] = given
  const settings = ['settings'] as const
  const linked = async (explorer: object) => {
    const place = await shown(component, [...known, [settings, { isDevnet: false, ...explorer }]])
    return [...place.querySelectorAll('.explorer')]
  }
  const found = await linked({ explorerUrl: BASE })
  const hrefs = found.map((one) => one.getAttribute('href'))
  for (const link of links) expect(hrefs).toContain(`${BASE}/${link}`)
  for (const one of found) expect(one.getAttribute('aria-label')).toMatch(/ in the explorer$/)
  expect(await linked({})).toEqual([])
})
