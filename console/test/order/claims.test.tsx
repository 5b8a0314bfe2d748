import { expect, test } from 'vitest'
import { ClaimTable } from '../../src/order/claim-table.tsx'
import { HOSTILE, MARKUP } from '../hostile.ts'
import { orderOf, sourceOf } from '../orders.ts'
import { shown } from '../shown.tsx'

const rowsOf = (page: HTMLElement): string[] =>
  [...page.querySelectorAll('tbody tr')].map((row) => row.textContent ?? '')

test('a claim that differs from what is proved is marked, and one that agrees is not', async () => {
  const sources = [
    sourceOf({ sourceId: 'agrees', claimedPriceSats: '40000' }),
    sourceOf({ sourceId: 'another', claimedPriceSats: '39000' }),
    sourceOf({ sourceId: 'says nothing' }),
  ]
  const [proved, ...claims] = rowsOf(await shown(<ClaimTable order={orderOf({ sources })} />))
  expect(proved).toContain('what counts')
  expect(claims.map((text) => text.includes('differs'))).toEqual([false, true, false])
  expect(claims[1]).toContain('39\u202f000differs')
})

test('an asset that a source alone names is not proved', async () => {
  const inscriptionId = `${'c'.repeat(64)}i0`
  const outpoint = { txid: 'd'.repeat(64), vout: 0 }
  const sources = [sourceOf({ claimedAsset: { inscriptionId, outpoint } })]
  const [, claim] = rowsOf(await shown(<ClaimTable order={orderOf({ sources })} />))
  expect(claim).toContain('not proved')
})

test.each(HOSTILE)('a source that is named %j is text', async (text) => {
  const order = orderOf({ sources: [sourceOf({ sourceId: text })] })
  const page = await shown(<ClaimTable order={order} />)
  expect(page.querySelector('bdi')?.textContent).toBe(text)
  expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
})
