import { expect, test } from 'vitest'
import { Age } from '../src/ui/values/age.tsx'
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

test('what ticks is not read out each second, and its end is', async () => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const page = await shown([
    <Age key="age" at={at(-5_000)} />,
    <Countdown key="left" until={at(3_600_000)} />,
    <Countdown key="expired" until={at(-5_000)} />,
  ])
  const live = [...page.querySelectorAll('time')].map((one) => one.getAttribute('aria-live'))
  expect(live).toEqual(['off', 'off', null])
})
