import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Router } from 'wouter-preact'
import { market } from '../../src/api/market.ts'
// The page loads it by itself, which must not outlive the test.
import '../../src/sell/ending-steps.tsx'
import { ExposureForm } from '../../src/sell/exposure-form.tsx'
import { shown } from '../shown.tsx'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const OUTPOINT = `${'a'.repeat(64)}:0`
const AT = '2026-01-20T00:00:00.000Z'

/** The page of an output that is unspent, with nothing signed for it but what is given. */
function exposed(changes: object) {
  const answer = {
    output: { status: 'UNSPENT' },
    lowest: { now: null, ever: null, complete: true },
    ...{ authorisations: [], unproved: [], bids: { newest: [], total: 0 }, notices: [] },
    ...{ hasMore: false, nextCursor: '', nodeTip: { height: 9 }, observedAt: AT },
    ...changes,
  }
  return shown(
    <Router searchHook={() => `of=${OUTPOINT}`}>
      <ExposureForm />
    </Router>,
    [[['exposure', OUTPOINT, null] as never, answer]],
  )
}

test('bids that an output pays for are said in the verdict and listed', async () => {
  const bid = {
    ...{ orderId: 'b'.repeat(64), state: 'LIVE', signedPriceSats: '40000', firstSeenAt: AT },
    outpoint: `${'c'.repeat(64)}:1`,
  }
  const page = await exposed({ bids: { newest: [bid], total: 60 } })
  expect(page.querySelector('.verdict + p')?.textContent).toContain(
    'No ask seen here lets anyone take it now. It pays for 60 bids: the owner of what is bid for may',
  )
  const item = page.querySelector('.changes li')
  expect(item?.querySelector('a')?.getAttribute('href')).toBe(`/console/orders/${bid.orderId}`)
  expect(item?.querySelector('.badge')?.textContent).toBe('live')
  expect(item?.textContent).toContain('for cccccccc…cccccc:1')
  expect(page.textContent).toContain('Only the newest are shown.')
})

test('what is paid for it ends its sentence with no gap', async () => {
  const bid = {
    ...{ orderId: 'b'.repeat(64), state: 'LIVE', signedPriceSats: '40000', firstSeenAt: AT },
    outpoint: `${'c'.repeat(64)}:1`,
  }
  const now = { signedPriceSats: '40000' }
  const page = await exposed({
    lowest: { now, ever: now, complete: true },
    bids: { newest: [bid], total: 1 },
  })
  expect(page.querySelector('.verdict + p')?.textContent).toContain('0.00040000 BTC. It pays')
  expect(page.textContent).not.toMatch(/\s[.,;:]/)
})

test('a spend of the output has ended its bids, and one without bids names none', async () => {
  const spent = await exposed({ output: { status: 'SPENT' }, bids: { newest: [], total: 1 } })
  expect(spent.textContent).not.toContain('may complete')
  expect((await exposed({})).textContent).not.toContain('It pays for')
})

test('where not all asks were looked at, it is not known whether one can be taken', async () => {
  const page = await exposed({ lowest: { now: null, ever: null, complete: false } })
  expect(page.querySelector('.verdict + p')?.textContent).toContain('is not known')
})

test.each([
  ['UNSPENT', true],
  ['SPENT_IN_MEMPOOL', true],
  ['SPENT', false],
  ['UNKNOWN', false],
])(
  'the wallet is offered to end what is signed for an output that is %s: %s',
  async (status, offered) => {
    const page = await exposed({ output: { status } })
    expect(page.textContent?.includes('End it with your wallet')).toBe(offered)
  },
)

test('an inscription whose output is found late leads nowhere once another output was asked for', async () => {
  let find: (found: unknown) => void = () => {}
  const found = new Promise((resolve) => {
    find = resolve
  })
  vi.spyOn(market, 'get').mockReturnValue(found as never)
  const navigate = vi.fn()
  const page = await shown(
    <Router hook={() => ['/console/sell/outputs', navigate]} searchHook={() => ''}>
      <ExposureForm />
    </Router>,
  )
  const ask = (of: string) =>
    act(async () => {
      const field = page.querySelector<HTMLInputElement>('[name="of"]')
      if (field) field.value = of
      field?.dispatchEvent(new Event('input', { bubbles: true }))
      page.querySelector('form')?.requestSubmit()
    })
  await ask(`${'c'.repeat(64)}i0`)
  await ask(OUTPOINT)
  const way = `/console/sell/outputs?${new URLSearchParams({ of: OUTPOINT })}`
  await vi.waitFor(() => expect(navigate.mock.lastCall?.[0]).toBe(way), { timeout: 10_000 })
  const outpoint = { txid: 'e'.repeat(64), vout: 0 }
  const assets = [{ inscriptionId: `${'c'.repeat(64)}i0`, outpoint }]
  await act(async () => {
    find({ orders: [{ assets }] })
    // All that follows the answer has run by then.
    await new Promise((next) => setTimeout(next, 50))
  })
  expect(navigate).toHaveBeenCalledTimes(1)
})
