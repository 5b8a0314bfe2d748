import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { market } from '../../src/api/market.ts'
import { QuoteForm } from '../../src/order/quote-form.tsx'
import { orderOf } from '../orders.ts'
import { shown } from '../shown.tsx'

afterEach(() => void vi.restoreAllMocks())

const PATIENT = { timeout: 20_000 }
const FIELDS = {
  assetReceiveAddress: 'bcrt1p',
  paymentAddress: 'bcrt1q',
  paddingUtxos: `${'a'.repeat(64)}:0 ${'a'.repeat(64)}:1`,
  fundingUtxos: `${'b'.repeat(64)}:0`,
}

test('fees are those of the quoted size while another one is chosen', async () => {
  const quote = {
    ...{ orderId: '1', psbt: 'cHNidP8=', estimatedVbytes: '900' },
    ...{ assetReceiveAddress: 'bcrt1p', checkpoint: { height: 1 }, notices: [] },
  }
  vi.spyOn(market, 'post').mockResolvedValue(quote as never)
  const estimates = [6, 2].map((blocks, at) => ({ blocks, feeRateSatsPerVb: `${at + 1}` }))
  const page = await shown(<QuoteForm order={orderOf()} />, [
    [['fees'], { estimates, minimumFeeRateSatsPerVb: '1' }],
  ])
  const fees = () =>
    [...page.querySelectorAll('.fees label')].map((one) => one.lastElementChild?.textContent)
  for (const [name, text] of Object.entries(FIELDS)) {
    const field = page.querySelector<HTMLInputElement>(`[name="${name}"]`)
    if (field) field.value = text
  }
  await act(() => page.querySelector('form')?.requestSubmit())
  await vi.waitFor(() => expect(page.querySelector('.verdict')).not.toBeNull(), PATIENT)
  const quoted = ['1\u202f800 sats', '900 sats', 'a number of yours']
  expect(fees()).toEqual(quoted)
  await act(() => page.querySelector<HTMLInputElement>('input[name="speed"][value="2"]')?.click())
  await vi.waitFor(() => expect(page.querySelector('.verdict')).toBeNull(), PATIENT)
  expect(fees()).toEqual(quoted)
})
