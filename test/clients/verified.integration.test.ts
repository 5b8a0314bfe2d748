import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMarketClient, type VerifiedReader } from '../../clients/typescript/src/index.ts'
import { type FlakyProxy, openFlakyProxy } from '../support/http/flaky-proxy.ts'
import { recordedTiming } from '../support/http/recorded-timing.ts'
import {
  answerOf,
  OBJECT_KEY,
  openPipelines,
  type Pipelines,
  TIP,
} from '../support/pairing/pairing-pipeline.ts'

const ROUTE = '/pairing/verified/objects/{objectKey}'

let pipelines: Pipelines
let proxy: FlakyProxy
let timing: ReturnType<typeof recordedTiming>
let object: VerifiedReader<typeof ROUTE>
beforeAll(async () => {
  pipelines = await openPipelines()
  proxy = await openFlakyProxy(await pipelines.app.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(async () => {
  await proxy.close()
  await pipelines.close()
})
beforeEach(() => {
  agrees(true)
  object = readerOf(OBJECT_KEY)
})

function readerOf(objectKey: string) {
  timing = recordedTiming()
  const client = createMarketClient({ baseUrl: proxy.url, timing, attempts: 1 })
  return client.verified(ROUTE, { path: { objectKey } })
}

/** What the other pipeline signs: the same, or another root of objects. */
function agrees(does: boolean): void {
  const changes = does ? {} : { objectsRoot: 'f'.repeat(64) }
  pipelines.peer.reply = (height) => answerOf(pipelines.signedByB(height, changes))
}

/** As long as the reader pauses after a withheld answer. */
const pause = () => timing.sleep(5_000)

test('a value that both pipelines vouch for is verified', async () => {
  const outcome = await object.read()
  expect(outcome).toMatchObject({
    status: 'verified',
    value: { objectKey: OBJECT_KEY, label: 'Label.one' },
    agreement: { height: TIP, keyIds: { A: 'a1', B: 'b1' } },
  })
  expect(outcome.status === 'verified' && outcome.ageMs).toBeLessThan(1_000)
})

test('of a list the next page is that of its Link', async () => {
  const client = createMarketClient({ baseUrl: proxy.url, timing })
  const search = (cursor?: string) =>
    client.verified('/pairing/verified/search', { query: { q: 'one', limit: 1, cursor } }).read()
  expect(await search()).toMatchObject({ status: 'verified', nextCursor: '' })
  const link = '</pairing/verified/search?q=one&limit=1&cursor=c%2B1>; rel="next"'
  const body = JSON.stringify({ data: { query: 'one', results: [] }, agreement: {} })
  proxy.fail({ status: 200, headers: { link }, body })
  const { length } = proxy.requests
  const first = await search()
  expect(first).toMatchObject({ status: 'verified', nextCursor: 'c+1' })
  await search('c+1').catch(() => {})
  expect(proxy.requests[length + 1]?.path).toContain('cursor=c%2B1')
})

test('while they disagree the last verified value is kept, with its age', async () => {
  await object.read()
  agrees(false)
  await timing.sleep(60_000)
  const held = await object.read()
  expect(held).toMatchObject({
    status: 'held',
    value: { objectKey: OBJECT_KEY },
    agreement: { height: TIP },
    cause: { name: 'VerificationUnavailableError' },
  })
  expect(held.status === 'held' && held.ageMs).toBeGreaterThanOrEqual(60_000)
  await pause()
  const later = await object.read()
  if (held.status !== 'held' || later.status !== 'held') throw new Error('it is not kept')
  expect(later.withheldSince).toEqual(held.withheldSince)
  expect(later.verifiedAt).toEqual(held.verifiedAt)
  expect(later.ageMs).toBeGreaterThanOrEqual(65_000)
  agrees(true)
  await pause()
  expect(await object.read()).toMatchObject({ status: 'verified' })
})

test('the service is not asked again for some seconds, and no other route is asked at all', async () => {
  agrees(false)
  const before = proxy.requests.length
  expect(await object.read()).toMatchObject({ status: 'unknown' })
  expect(await object.read()).toMatchObject({ status: 'unknown' })
  expect(proxy.requests.length - before).toBe(1)
  await pause()
  await object.read()
  expect(proxy.requests.slice(before).map(({ path }) => path)).toEqual(
    Array.from({ length: 2 }, () => `/pairing/verified/objects/${OBJECT_KEY}`),
  )
})

test.each([
  ['a connection that breaks', 'refuse', 'NetworkError'],
  ['an unavailable service', { status: 503 }, 'UnavailableError'],
  ['a rate limit', { status: 429 }, 'RateLimitedError'],
] as const)('%s withholds too', async (_what, fault, name) => {
  await object.read()
  proxy.fail(fault)
  expect(await object.read()).toMatchObject({ status: 'held', cause: { name } })
})

test('after a rate limit it waits as long as that says', async () => {
  proxy.fail({ status: 429, headers: { 'retry-after': '20' } })
  expect(await object.read()).toMatchObject({ status: 'unknown' })
  await pause()
  expect(await object.read()).toMatchObject({ status: 'unknown' })
  await timing.sleep(15_000)
  expect(await object.read()).toMatchObject({ status: 'verified' })
})

test('an absent object is absent, whatever the pipelines say, and not a verified value', async () => {
  const absent = readerOf('0'.repeat(64))
  agrees(false)
  expect(await absent.read()).toMatchObject({
    status: 'absent',
    cause: { messages: ['object not found'] },
    last: null,
  })
})

test('an object that was verified and is now absent is reported with its last value', async () => {
  await object.read()
  proxy.fail({ status: 404, body: '{"message":"object not found"}' })
  expect(await object.read()).toMatchObject({
    status: 'absent',
    last: { value: { objectKey: OBJECT_KEY } },
  })
})

test.each([
  [400, 'BadRequestError'],
  [500, 'ServiceDefectError'],
])('%i is thrown: no later read fixes it', async (status, name) => {
  proxy.fail({ status })
  await expect(object.read()).rejects.toMatchObject({ name })
})

test('simultaneous reads are one request', async () => {
  const before = proxy.requests.length
  await Promise.all([object.read(), object.read(), object.read()])
  expect(proxy.requests.length - before).toBe(1)
})

test('it is watched on a fixed interval of five seconds or more, until the signal', async () => {
  const stop = new AbortController()
  const seen: string[] = []
  const watching = async () => {
    for await (const { status } of object.watch({ intervalMs: 1, signal: stop.signal })) {
      agrees(seen.push(status) !== 2)
      if (seen.length === 4) stop.abort(new Error('enough'))
    }
  }
  await expect(watching()).rejects.toThrow('enough')
  expect(seen).toEqual(['verified', 'verified', 'held', 'verified'])
  expect(timing.waits).toEqual([5_000, 5_000, 5_000])
})
