import { expect, test } from 'vitest'
import { SourceTable } from '../src/market/source-table.tsx'
import { shown } from './shown.tsx'

test('what became of the orders of a source is said by the words of their states', async () => {
  const row = {
    ...{ day: '2026-01-20', source: 'import', orders: '9', first_told: '8' },
    ...{ valid: '4', stale: '2', fake: '1', undecided: '3', median_lag_ms: null },
  }
  const known = [['statistics', 'sources'], { rows: [row], from: null }] as const
  const page = await shown(<SourceTable />, [known])
  const heads = [...page.querySelectorAll('th[scope="col"]')].map((one) => one.textContent)
  expect(heads).toEqual([
    ...['Source', 'Orders', 'First to report', 'Valid', 'Stale', 'Fake', 'Pending'],
    'Median until first verdict, ms',
  ])
  expect(page.querySelector('[data-label="Pending"]')?.textContent).toBe('3')
})
