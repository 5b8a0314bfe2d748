import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Router } from 'wouter-preact'
import { ExposureForm } from '../../src/sell/exposure-form.tsx'
import { shown } from '../shown.tsx'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => void vi.unstubAllGlobals())

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
