import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { market } from '../../src/api/market.ts'
import { QuoteForm } from '../../src/order/quote-form.tsx'
import { orderOf } from '../orders.ts'
import { shown } from '../shown.tsx'

afterEach(() => void vi.restoreAllMocks())

const PATIENT = { timeout: 20_000 }
const buttonIn = (page: HTMLElement, text: string) =>
  [...page.querySelectorAll('button')].find(({ textContent }) => textContent === text)
const FIELDS = {
  assetReceiveAddress: 'bcrt1p',
  paymentAddress: 'bcrt1q',
  paddingUtxos: `${'a'.repeat(64)}:0 ${'a'.repeat(64)}:1`,
  fundingUtxos: `${'b'.repeat(64)}:0`,
}

const QUOTE = {
  ...{ orderId: '1', psbt: 'cHNidP8=', estimatedVbytes: '900' },
  ...{ assetReceiveAddress: 'bcrt1p', checkpoint: { height: 1 }, notices: [] },
  ...{ observedAt: '2026-01-20T00:00:00.000Z', expiresAt: '2026-01-20T00:10:00.000Z' },
}
const fieldOf = (page: HTMLElement, name: string) =>
  page.querySelector<HTMLInputElement>(`[name="${name}"]`)
function ask(page: HTMLElement) {
  for (const [name, text] of Object.entries(FIELDS)) {
    const field = fieldOf(page, name)
    if (field) field.value = text
  }
  return act(() => page.querySelector('form')?.requestSubmit())
}

test('fees are those of the quoted size while another one is chosen', async () => {
  vi.spyOn(market, 'post').mockResolvedValue(QUOTE as never)
  const estimates = [6, 2].map((blocks, at) => ({ blocks, feeRateSatsPerVb: `${at + 1}` }))
  const page = await shown(<QuoteForm order={orderOf()} />, [
    [['fees'], { estimates, minimumFeeRateSatsPerVb: '1' }],
  ])
  const fees = () =>
    [...page.querySelectorAll('.fees label')].map((one) => one.lastElementChild?.textContent)
  await ask(page)
  await vi.waitFor(() => expect(page.querySelector('.verdict')).not.toBeNull(), PATIENT)
  const quoted = ['1\u202f800 sats', '900 sats', 'a number of yours']
  expect(fees()).toEqual(quoted)
  await act(() => page.querySelector<HTMLInputElement>('input[name="speed"][value="2"]')?.click())
  await vi.waitFor(() => expect(page.querySelector('.verdict')).toBeNull(), PATIENT)
  expect(fees()).toEqual(quoted)
})

test.each([
  ['assetReceiveAddress', 'paymentAddress'],
  ['paymentAddress', 'assetReceiveAddress'],
])('one address for both is said, and correcting %s or %s ends it', async (first, second) => {
  const page = await shown(<QuoteForm order={orderOf()} />)
  const write = (name: string, text: string) =>
    act(() => {
      const field = fieldOf(page, name)
      if (field) field.value = text
      field?.dispatchEvent(new Event('input', { bubbles: true }))
    })
  const isSaid = () => fieldOf(page, 'paymentAddress')?.validity.customError
  await write(first, 'bcrt1p')
  expect(isSaid()).toBe(false)
  for (const corrected of [second, first]) {
    await write(second, 'bcrt1p')
    await write(first, ' bcrt1p ')
    expect(isSaid()).toBe(true)
    await write(corrected, 'bcrt1q')
    expect(isSaid()).toBe(false)
  }
})

test('a quote that has expired hands out no PSBT: it is asked for again', async () => {
  const post = vi.spyOn(market, 'post').mockResolvedValue(QUOTE as never)
  const page = await shown(<QuoteForm order={orderOf()} />)
  await ask(page)
  const psbt = () => page.querySelector<HTMLTextAreaElement>('.answer textarea')?.value
  await vi.waitFor(() => expect(psbt()).toBe(QUOTE.psbt), PATIENT)
  // The clock of the page, whatever it says, is moved on as after a sleep.
  const later = Date.now() + 601_000
  vi.spyOn(Date, 'now').mockImplementation(() => later)
  await vi.waitFor(() => expect(buttonIn(page, 'Quote again')).toBeDefined(), PATIENT)
  expect(psbt()).toBeUndefined()
  expect(page.querySelector('time.stale')?.textContent).toBe('expired')
  await act(() => buttonIn(page, 'Quote again')?.click())
  await vi.waitFor(() => expect(psbt()).toBe(QUOTE.psbt), PATIENT)
  expect(post).toHaveBeenCalledTimes(2)
})
