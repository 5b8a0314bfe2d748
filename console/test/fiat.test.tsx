import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'
import { currency, pricesIn } from '../src/api/fiat.ts'
import { OrderList } from '../src/book/order-list.tsx'
import { Amount } from '../src/ui/values/amount.tsx'
import { CurrencyChoice, estimateOf } from '../src/ui/values/fiat.tsx'
import { orderOf } from './orders.ts'
import { shown } from './shown.tsx'

const PRICES = {
  at: new Date(Date.now() - 300_000).toISOString(),
  prices: { USD: 61_500, EUR: 52_000 },
}
const KNOWN = [
  [['settings'], { isDevnet: false, showsFiat: true }],
  [['fiat'], PRICES],
] as const

test('beside sats is about what they are in other money, said to be an estimate and how old', async () => {
  const page = await shown(<Amount sats="20000" />, KNOWN)
  const estimate = page.querySelector('.fiat')
  expect(estimate?.textContent).toBe('≈ 12.30 USD')
  expect(estimate?.getAttribute('title')).toBe('An estimate, by a price of 5 min ago')
})

test('where no price is known there is none', async () => {
  expect((await shown(<Amount sats="20000" />)).querySelector('.fiat')).toBeNull()
  const isOff = [[['fiat'], null]] as const
  expect((await shown(<CurrencyChoice />, isOff)).querySelector('select')).toBeNull()
})

test('the money is chosen, and the list of orders says so too', async () => {
  const list = <OrderList orders={[orderOf()]} marked={new Set()} isLost={false} />
  const page = await shown([<CurrencyChoice key="choice" />, list], KNOWN)
  expect(page.querySelector('.price')?.textContent).toBe('≈ 24.60 USD 40\u202f000')
  await act(() => currency.write('EUR'))
  expect(page.querySelector('.price')?.textContent).toBe('≈ 20.80 EUR 40\u202f000')
  // Another browser, or an operator, has other money.
  await act(() => currency.write('XXX'))
  expect(page.querySelector('.price')?.textContent).toContain('USD')
})

test.each([
  null,
  [],
  {},
  { at: 'x', prices: { USD: 1 } },
  { at: PRICES.at, prices: { USD: -1, usd: 5 } },
])('%j is no price', (said) => {
  expect(pricesIn(said)).toBeNull()
})

test('thousands are apart', () => {
  expect(estimateOf('250000000', 61_500)).toBe('153\u202f750.00')
})
