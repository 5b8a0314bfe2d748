import { afterEach, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/http.ts'

let it: TestApp
afterEach(() => it.close())

test('eight pages of a store are read at once, 256 wait, and one more is 503; other stores go on', async () => {
  let asked = 0
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const activity = async () => {
    asked += 1
    await gate
    return { entries: [], next: null }
  }
  it = await openTestApp({ ports: { history: { activity } } })
  const all = Array.from({ length: 270 }, () => it.get('/api/market/activity'))
  const refused = await Promise.race(all)
  expect(refused.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
  expect(refused.headers['retry-after']).toBe('1')
  expect((await it.get('/api/market/orders')).statusCode).toBe(200)
  expect(asked).toBe(8)
  letGo()
  const statuses = (await Promise.all(all)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(264)
  expect(statuses.filter((status) => status === 503)).toHaveLength(6)
  expect(asked).toBe(264)
})
