import { act } from 'preact/test-utils'
import type { ProtocolTemplate } from 'psbt-market-client'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { market } from '../../src/api/market.ts'
import { ListSteps } from '../../src/sell/list-steps.tsx'
import { NetOf } from '../../src/sell/loss-notice.tsx'
import { shown } from '../shown.tsx'

const MARKETS = [
  { id: 'inscriptions', label: 'Inscriptions', assetRequirement: 'INSCRIPTION' },
] as ProtocolTemplate[]
const TXID = 'ab'.repeat(32)
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => void vi.unstubAllGlobals())

const EARLIER = 'An earlier signature sells this output for 50\u202f000 sats'

const openSteps = (page: HTMLElement) =>
  [...page.querySelectorAll('.stepper section')].map((one) => !one.hasAttribute('hidden'))
const valueIn = (page: HTMLElement, name: string) =>
  page.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value

test('exactly one step is open, and what is signed already goes to the last', async () => {
  const page = await shown(<ListSteps markets={MARKETS} />)
  expect(openSteps(page)).toEqual([true, false, false])
  const buttons = [...page.querySelectorAll('button')]
  const named = (text: string) => buttons.find((one) => one.textContent?.includes(text))
  expect(named('Sign it in your wallet')?.disabled).toBe(true)
  await act(() => named('It is signed already')?.click())
  expect(openSteps(page)).toEqual([false, false, true])
  await act(() => named('Choose what is sold')?.click())
  expect(openSteps(page)).toEqual([true, false, false])
})

test('a PSBT to sign is that of the form: a changed field takes it away, also before it has come', async () => {
  const page = await shown(<ListSteps markets={MARKETS} />)
  const inspection = { reasons: [], outputValuesSats: ['60000'], inputWitnessUtxos: [] }
  const outpoint = { txid: TXID, vout: 1 }
  const built = { psbt: 'cHNidP8=', inspection, outpoint, nodeTip: { height: 7 } }
  let answer = (_: unknown) => {}
  const output = { output: { valueSats: '546' } }
  const lowest = { ever: { signedPriceSats: '50000' } }
  const get = vi.spyOn(market, 'get').mockResolvedValue({ lowest, output } as never)
  const post = vi.spyOn(market, 'post').mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = resolve as never
      }),
  )
  onTestFinished(() => {
    get.mockRestore()
    post.mockRestore()
  })
  const change = (name: string, value: string) =>
    act(() => {
      const field = page.querySelector<HTMLInputElement>(`[name="${name}"]`)
      if (field) field.value = value
      field?.dispatchEvent(new Event('input', { bubbles: true }))
    })
  const build = () => act(() => page.querySelector('form')?.requestSubmit())
  const come = () => act(() => answer(built))
  await change('token', 'one')
  await change('asset.inscriptionId', `${TXID}i0`)
  await change('asset.outpoint', `${TXID}:1`)
  await change('quotedPriceSats', '60000')
  await change('sellerPaymentAddress', ADDRESS)
  await build()
  await change('quotedPriceSats', '600000')
  await come()
  expect(openSteps(page)).toEqual([true, false, false])
  await build()
  await come()
  await vi.waitFor(() => expect(openSteps(page)).toEqual([false, true, false]), { timeout: 20_000 })
  expect(page.querySelector('[role="alert"]')?.textContent).toContain(EARLIER)
  await change('quotedPriceSats', '700000')
  expect(openSteps(page)).toEqual([true, false, false])
  expect(page.textContent).not.toContain('Built, and verified')
})

test('a paste fills the field that it is for', async () => {
  const page = await shown(<ListSteps markets={MARKETS} />)
  const paste = (text: string, target: EventTarget = document.body) => {
    const event = new Event('paste', { bubbles: true, cancelable: true })
    Object.assign(event, { clipboardData: { getData: () => text } })
    return act(() => void target.dispatchEvent(event))
  }
  await paste(`${TXID}:1`)
  await paste(ADDRESS, page.querySelector('[name="token"]') ?? document.body)
  expect(valueIn(page, 'asset.outpoint')).toBe(`${TXID}:1`)
  expect(valueIn(page, 'sellerPaymentAddress')).toBe(ADDRESS)
  expect(valueIn(page, 'token')).toBe('')
})

test.each([
  ['60 000', '10000', 'You receive 60 000 sats for an output that holds 10 000: 50 000 net'],
  ['0.00005 BTC', '10000', 'You would lose them'],
])('the net of %s is shown while it is typed', async (price, held, text) => {
  const page = await shown(<NetOf price={price} held={held} />)
  expect(page.textContent?.replaceAll('\u202f', ' ').replace(' sats net', ' net')).toContain(text)
})

test('no net is shown of a price or an output that is not known', async () => {
  expect((await shown(<NetOf price="x" held="10000" />)).textContent).toBe('')
  expect((await shown(<NetOf price="5" held={undefined} />)).textContent).toBe('')
})
