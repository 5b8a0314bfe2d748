import { expect, test } from 'vitest'
import { recogniseCustomer } from '../../../src/http/clients/customers.ts'
import { RefusalThrottle } from '../../../src/http/limits/refusal-throttle.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const KEY = `mkc_${'A'.repeat(43)}`

/** Whether so many requests with this token are answered before any time passes. */
async function answeredWith(token: string, count: number): Promise<number> {
  const throttle = new RefusalThrottle(new ManualClock())
  const recognise = (one: string) => (one === KEY ? { name: 'acme', tier: null } : null)
  const hook = recogniseCustomer({ recognise }, throttle)
  let answered = 0
  for (let n = 0; n < count; n += 1) {
    const request = {
      customer: null,
      headers: { authorization: `Bearer ${token}` },
      routeOptions: { config: {} },
      server: {},
    }
    const settled = hook.call({} as never, request as never, { header: () => {} } as never)
    const count = () => {
      answered += 1
    }
    void settled.then(count, count)
  }
  await new Promise(setImmediate)
  return answered
}

test('a flood of wrong keys is delayed, as other refusals are; right ones are not', async () => {
  expect(await answeredWith(`mkc_${'B'.repeat(43)}`, 300)).toBe(200)
  expect(await answeredWith(KEY, 300)).toBe(300)
})
