import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import { render } from 'preact'
import { act } from 'preact/test-utils'
import type { FeeEstimates } from 'psbt-market-client'
import { expect, test } from 'vitest'
import { FeeChoice, feeRateIn } from '../../src/order/fee-choice.tsx'

const ESTIMATES: FeeEstimates['estimates'] = [
  { blocks: 2, feeRateSatsPerVb: '20' },
  { blocks: 6, feeRateSatsPerVb: '12.5' },
  { blocks: 144, feeRateSatsPerVb: '1.001' },
]

async function choice(estimates: FeeEstimates['estimates'], vbytes?: string) {
  const client = new QueryClient()
  client.setQueryData(['fees'], {
    network: 'mainnet',
    estimates,
    minimumFeeRateSatsPerVb: '1',
    observedAt: new Date().toISOString(),
  } satisfies FeeEstimates)
  const place = document.createElement('main')
  document.body.replaceChildren(place)
  await act(() =>
    render(
      <QueryClientProvider client={client}>
        <form>
          <FeeChoice vbytes={vbytes} />
        </form>
      </QueryClientProvider>,
      place,
    ),
  )
  const form = place.querySelector('form') as HTMLFormElement
  const chosen = () => feeRateIn(new FormData(form))
  const choose = (title: string) => {
    const label = [...form.querySelectorAll('label')].find((one) =>
      one.textContent?.startsWith(title),
    )
    return act(() => label?.querySelector('input')?.click())
  }
  return { form, chosen, choose }
}

const texts = (form: HTMLFormElement) =>
  [...form.querySelectorAll('.segments label')].map((one) =>
    [...one.children].map(({ textContent }) => textContent?.replaceAll('\u202f', ' ')).join('|'),
  )

test('each choice says how soon, its rate, and the fee; medium is chosen', async () => {
  const { form, chosen, choose } = await choice(ESTIMATES)
  expect(texts(form)).toEqual([
    '|Low|about 1 d|1.001 sats/vB|about 421 sats',
    '|Medium|about 1 h|12.5 sats/vB|about 5 250 sats',
    '|High|about 20 min|20 sats/vB|about 8 400 sats',
    '|Own|a number of yours',
  ])
  expect(chosen()).toEqual({ feeRateSatsPerVb: '12.5' })
  await choose('High')
  expect(chosen()).toEqual({ feeRateSatsPerVb: '20' })
})

test('once a purchase is quoted, the fee is of its size', async () => {
  const { form } = await choice(ESTIMATES, '600')
  expect(texts(form)[2]).toBe('|High|about 20 min|20 sats/vB|12 000 sats')
})

test('a number of one’s own is always possible', async () => {
  const { form, chosen, choose } = await choice(ESTIMATES)
  await choose('Own')
  expect(chosen()).toEqual({})
  const field = form.querySelector<HTMLInputElement>('[name="feeRateSatsPerVb"]')
  // In a price three digits after a comma are thousands: here the service refuses them.
  for (const [typed, rate] of [
    ['2,5', '2.5'],
    ['1,200', '1,200'],
    ['1.001', '1.001'],
  ] as const) {
    if (field) field.value = typed
    expect(chosen()).toEqual({ feeRateSatsPerVb: rate })
  }
})

test('where the node has no estimate, there is a plain field, which may stay empty', async () => {
  const { form, chosen } = await choice([])
  expect(form.querySelector('.segments')).toBeNull()
  expect(form.textContent).toContain('The node takes 1 or more.')
  expect(chosen()).toEqual({})
})

test('the choice of a node that lacks the usual one is the slowest that it has', async () => {
  const { chosen } = await choice(ESTIMATES.filter(({ blocks }) => blocks !== 6))
  expect(chosen()).toEqual({ feeRateSatsPerVb: '1.001' })
})
