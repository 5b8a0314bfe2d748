import type { Quote } from 'psbt-market-client'
import { expect, test } from 'vitest'
import { QuoteFacts } from '../../src/order/quote-facts.tsx'
import { orderOf } from '../orders.ts'
import { shown } from '../shown.tsx'

const ADDRESS = `bcrt1p${'q'.repeat(52)}zzzzzz`
const QUOTE = {
  totalBuyerCostSats: '42450',
  sellerProceedsSats: '40000',
  networkFeeSats: '2450',
  feeRateSatsPerVb: '5',
  assetValueSats: '10000',
  changeSats: '157550',
  assetReceiveAddress: ADDRESS,
  expiresAt: new Date(Date.now() + 545_000).toISOString(),
  observedAt: '2026-01-20T00:00:00.000Z',
  checkpoint: { height: 129, hash: 'e'.repeat(64) },
  notices: [{ code: 'REPLACEABLE', message: 'others can take it before you' }],
} as unknown as Quote

test('before anything is signed a sentence says what a purchase costs, and what arrives where', async () => {
  const inscription = { inscriptionId: `${'c'.repeat(64)}i0`, inscriptionNumber: 5 }
  const order = orderOf({ assets: [inscription as never] })
  const page = await shown(<QuoteFacts quote={QUOTE} order={order} />)
  const plain = (text: string | null | undefined) => text?.replaceAll('\u202f', ' ')
  expect(plain(page.querySelector('.verdict')?.textContent)).toBe(
    'You pay 42 450 sats, 2 450 of them to the network, and receive Inscription 5 with ' +
      '10 000 sats at bcrt1pqq…zzzzzz.',
  )
  const facts = [...page.querySelectorAll('dt')].map((one) => [
    one.textContent,
    plain(one.nextElementSibling?.textContent),
  ])
  expect(facts.map(([name]) => name)).toEqual([
    'In all',
    'To the seller',
    'Network fee',
    'Comes with it',
    'Change',
  ])
  for (const [at, sats] of ['42 450', '40 000', '2 450', '10 000', '157 550'].entries())
    expect(facts[at]?.[1]).toContain(sats)
  expect(page.textContent).toMatch(/\d+ min \d\d s left/)
  expect(page.querySelector('.notices')?.textContent).toBe('others can take it before you')
})
