import { afterEach, expect, test } from 'vitest'
import { historyWith, openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'

let it: TestApp
afterEach(() => it.close())

test('64 orders are read by their ids at once, 1,024 wait, and one more is 503; pages continue', async () => {
  let asked = 0
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const order = async () => {
    asked += 1
    await gate
    return null
  }
  const clock = new ManualClock()
  it = await openTestApp({ ports: { clock }, http: { rateLimits: { read: 100_000 } } })
  it.gateway.views.order = order
  const path = `/api/market/orders/${'ab'.repeat(32)}`
  const all = Array.from({ length: 1_090 }, () => it.get(path))
  const refused = await Promise.race(all)
  expect(refused.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
  expect((await it.get('/api/market/orders')).statusCode).toBe(200)
  expect(asked).toBe(64)
  letGo()
  const statuses = (await Promise.all(all)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 503)).toHaveLength(2)
  expect(statuses.filter((status) => status === 404)).toHaveLength(1_088)
})

test('eight pages of a store are read at once, 256 wait, and one more is 503; other stores continue', async () => {
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
  it = await openTestApp({ ports: { history: historyWith(activity) } })
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

test('large pages and searches are read one at a time, and small pages overtake them', async () => {
  const asked: string[] = []
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const clock = new ManualClock()
  it = await openTestApp({ ports: { clock } })
  const { answerPage } = it.gateway.views
  it.gateway.views.answerPage = async (query, mostBytes) => {
    asked.push(`${query.limit} ${query.search ?? ''}`)
    if (query.limit > 50 || query.search) await gate
    return answerPage.call(it.gateway.views, query, mostBytes)
  }
  const paths = ['?limit=51', '?search=punk', '?limit=200', '?limit=100&search=a']
  const large = Promise.all(paths.map((path) => it.get(`/api/market/orders${path}`)))
  const small = await Promise.all(
    ['', '?limit=20'].map((path) => it.get(`/api/market/orders${path}`)),
  )
  expect(small.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect(asked).toEqual(['51 ', '50 ', '20 '])
  letGo()
  for (const answer of await large) expect(answer.statusCode).toBe(200)
  expect(asked.slice(3)).toEqual(['50 punk', '200 ', '100 a'])
})
