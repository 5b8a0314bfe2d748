import { expect, test } from 'vitest'
import { Amount } from '../src/ui/values/amount.tsx'
import { shown } from './shown.tsx'

const GAP = /\s[.,;:]/

test('an amount in a sentence is followed by its full stop, with and without an estimate', async () => {
  const sentence = (
    <p>
      It costs <Amount sats="40000" />.
    </p>
  )
  expect((await shown(sentence)).textContent).toBe('It costs 40\u202f000 sats 0.00040000 BTC.')
  const at = new Date().toISOString()
  const known = [
    [['settings'], { isDevnet: false, showsFiat: true }],
    [['fiat'], { at, prices: { USD: 100_000 } }],
  ] as const
  const estimated = (await shown(sentence, known)).textContent
  expect(estimated).toMatch(/BTC ≈ 40\.00 USD\.$/)
  expect(estimated).not.toMatch(GAP)
})
