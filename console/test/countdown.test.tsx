import { expect, test } from 'vitest'
import { Countdown, leftText } from '../src/ui/values/countdown.tsx'
import { shown } from './shown.tsx'

test.each([
  [0, '0 s'],
  [41.2, '42 s'],
  [60, '1 min 00 s'],
  [545, '9 min 05 s'],
])('%d seconds are %j', (seconds, text) => {
  expect(leftText(seconds)).toBe(text)
})

test('what has expired says so', async () => {
  const page = await shown(<Countdown until="2020-01-01T00:00:00.000Z" />)
  expect(page.textContent).toBe('expired')
  const until = new Date(Date.now() + 3_600_000).toISOString()
  expect((await shown(<Countdown until={until} />)).textContent).toMatch(/^\d+ min \d\d s left$/)
})
