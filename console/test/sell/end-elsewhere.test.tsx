import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Router } from 'wouter-preact'
import { market } from '../../src/api/market.ts'
import { ExposureForm } from '../../src/sell/exposure-form.tsx'
import { WithdrawForm } from '../../src/sell/withdraw-form.tsx'
import { badRequest } from '../bad-request.ts'
import { shown } from '../shown.tsx'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const PATIENT = { timeout: 20_000 }
const OUTPOINT = `${'a'.repeat(64)}:0`
const PAYS = { txid: 'b'.repeat(64), vout: 1 }
const SPEND = {
  ...{ outpoint: OUTPOINT, psbt: 'cHNidP8=', destinationAddress: 'bcrt1p', networkFeeSats: '154' },
  ...{ outputValuesSats: ['9846'], feeRateSatsPerVb: '1.4' },
  notices: [{ code: 'FEE_FROM_OUTPUT', message: '154 sats less arrive.' }],
}
const exposed = (status: string) =>
  shown(
    <Router searchHook={() => `of=${OUTPOINT}`}>
      <ExposureForm />
    </Router>,
    [
      [
        ['exposure', OUTPOINT, null] as never,
        {
          ...{ output: { status }, lowest: { now: null, ever: null, complete: true } },
          ...{ authorisations: [], unproved: [], bids: { newest: [], total: 0 }, notices: [] },
          ...{ hasMore: false, nodeTip: { height: 9 }, observedAt: '2026-01-20T00:00:00.000Z' },
        },
      ],
    ],
  )
const elsewhereIn = (page: HTMLElement) =>
  [...page.querySelectorAll('details')].find(
    (one) => one.querySelector('summary')?.textContent === 'Or sign elsewhere',
  )
async function ended(page: HTMLElement, given: Record<string, string>): Promise<Element> {
  const fold = elsewhereIn(page)
  for (const [name, text] of Object.entries(given)) {
    const field = fold?.querySelector<HTMLInputElement>(`[name="${name}"]`)
    if (!field) throw new Error(`no field ${name}`)
    field.value = text
  }
  await act(() => fold?.querySelector('form')?.requestSubmit())
  const answer = fold?.querySelector('.answer')
  await vi.waitFor(() => expect(answer?.textContent).not.toBe(''), PATIENT)
  return answer as Element
}

test('a signature is ended by a PSBT to sign elsewhere, which says what it costs', async () => {
  const post = vi.spyOn(market, 'post').mockResolvedValue(SPEND as never)
  const page = await exposed('UNSPENT')
  expect(elsewhereIn(page)?.open).toBe(false)
  const answer = await ended(page, { destinationAddress: ' bcrt1p ', feeRateSatsPerVb: '1,4' })
  const path = { outpoint: OUTPOINT }
  expect(post.mock.lastCall).toEqual([
    '/api/market/outpoints/{outpoint}/self-spend',
    { path, body: { destinationAddress: 'bcrt1p', feeRateSatsPerVb: '1.4' } },
  ])
  expect(answer.querySelector('textarea')?.value).toBe(SPEND.psbt)
  expect(answer.textContent).toContain('Network fee154 sats')
  expect(answer.textContent).toContain('154 sats less arrive.')
  await ended(page, {
    fundingUtxos: `${PAYS.txid}:${PAYS.vout}`,
    changeAddress: 'bcrt1q',
    feeRateSatsPerVb: '',
  })
  expect(post.mock.lastCall?.[1]).toEqual({
    path,
    body: { destinationAddress: 'bcrt1p', fundingUtxos: [PAYS], changeAddress: 'bcrt1q' },
  })
})

test('what the service refuses is said below it, and nothing is handed out', async () => {
  const refusal = badRequest('SELF_SPEND_REFUSED', 'the output is unconfirmed')
  vi.spyOn(market, 'post').mockRejectedValue(refusal)
  const answer = await ended(await exposed('UNSPENT'), { destinationAddress: 'bcrt1p' })
  expect(answer.textContent).toContain('the output is unconfirmed')
  expect(answer.querySelector('textarea')).toBeNull()
})

test.each(['SPENT', 'UNKNOWN'])('an output that is %s has nothing to end', async (status) => {
  expect(elsewhereIn(await exposed(status))).toBeUndefined()
})

test('a withdrawal leads to the end of the signature of its output', async () => {
  const challenge = {
    ...{ orderId: '1', address: 'bcrt1q', message: `order: 1\noutpoint: ${OUTPOINT}\norigin: x` },
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
  }
  vi.spyOn(market, 'get').mockResolvedValue(challenge as never)
  vi.spyOn(market, 'post').mockResolvedValue({ state: 'WITHDRAWN' } as never)
  const page = await shown(
    <Router searchHook={() => ''}>
      <WithdrawForm />
    </Router>,
  )
  const ways = () =>
    [...page.querySelectorAll('a')]
      .map((one) => one.getAttribute('href'))
      .filter((href) => href?.startsWith('/console/sell/outputs'))
  const write = (name: string, text: string) => {
    const field = page.querySelector<HTMLInputElement>(`[name="${name}"]`)
    if (field) field.value = text
    return act(() => field?.closest('form')?.requestSubmit())
  }
  expect(ways()).toEqual(['/console/sell/outputs'])
  await write('id', '1')
  const way = `/console/sell/outputs?of=${OUTPOINT}`
  await vi.waitFor(() => expect(ways()).toEqual([way, way]), PATIENT)
  await write('signature', 'c2lnbmVk')
  await vi.waitFor(() => expect(ways()).toEqual([way, way, way]), PATIENT)
})
