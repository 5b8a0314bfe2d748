import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { RecordPage, TopicList } from '../../src/schemas/api/records.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const PATH = '/api/market/admin/topics'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ http: { operators, rateLimits: { operator: 2, records: 9_999 } } })
  await it.gateway.log.append(
    Array.from({ length: 30 }, (_, n) => ({
      ...{
        topic: TOPICS.lifecycle,
        partition: n % 2,
        key: `order ${n}`,
        value: { hash: `h${n}`, prevHash: null },
      },
    })),
  )
})
afterAll(() => it.close())

const read = async (path: string): Promise<RecordPage> => {
  const answer = await it.get(`${PATH}/${path}`, OPERATOR)
  expect(answer.statusCode, answer.body).toBe(200)
  return RecordPage.parse(answer.json())
}

test('every topic is listed with what is kept of it', async () => {
  const { topics } = TopicList.parse((await it.get(PATH, OPERATOR)).json())
  expect(topics.map(({ topic }) => topic)).toEqual(Object.values(TOPICS))
  expect(topics.find(({ topic }) => topic === TOPICS.lifecycle)).toEqual({
    ...{ topic: TOPICS.lifecycle, partitions: 2, offsets: 30, cleanUp: 'keep', keptForMs: null },
    bytes: expect.any(Number),
  })
})

test('records are browsed by page, key, time and offset', async () => {
  const page = await read(`${TOPICS.lifecycle}/records`)
  expect(page).toMatchObject({ topic: TOPICS.lifecycle, scanned: 25, stopped: null, newer: null })
  expect(page.records).toHaveLength(25)
  const rest = await read(`${TOPICS.lifecycle}/records?cursor=${page.older}`)
  expect([rest.records.length, rest.older]).toEqual([5, null])
  const found = await read(`${TOPICS.lifecycle}/records?key=${encodeURIComponent('order 7')}`)
  expect(found.records).toEqual([
    expect.objectContaining({
      ...{ partition: 1, offset: 3, key: 'order 7', kind: 'unreadable', schema: 'LifecycleRecord' },
      ...{ chain: { prevHash: null, hash: 'h7' }, headers: {}, isCut: false },
    }),
  ])
  const before = '2020-01-01T00:00:00Z'
  expect((await read(`${TOPICS.lifecycle}/records?from=${before}`)).records).toEqual([])
  const first = await read(`${TOPICS.lifecycle}/records?from=0&direction=newer&partition=0&limit=1`)
  expect(first.records.map(({ key }) => key)).toEqual(['order 0'])
})

test.each([
  ['orders.nothing/records', 'topic'],
  [`market.settings/records`, 'topic'],
  [`${TOPICS.inbox}/records?limit=0`, 'limit'],
  [`${TOPICS.inbox}/records?limit=101`, 'limit'],
  [`${TOPICS.inbox}/records?from=yesterday`, 'from'],
  [`${TOPICS.inbox}/records?partition=9`, 'partition'],
  [`${TOPICS.inbox}/records?partition=x`, 'partition'],
  [`${TOPICS.inbox}/records?direction=up`, 'direction'],
  [`${TOPICS.inbox}/records?cursor=x`, 'cursor'],
  [`${TOPICS.inbox}/records?keys=x`, 'did you mean key'],
])('%s is refused', async (path, says) => {
  const answer = await it.get(`${PATH}/${path}`, OPERATOR)
  expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining(says)])
})

test('only operators are answered, by a limit of its own', async () => {
  expect((await it.get(PATH)).statusCode).toBe(401)
  expect((await it.get(`${PATH}/${TOPICS.keys}/records`)).statusCode).toBe(401)
  const limited = await openTestApp({ http: { operators, rateLimits: { records: 1 } } })
  expect((await limited.get(PATH, OPERATOR)).statusCode).toBe(200)
  expect((await limited.get(PATH, OPERATOR)).json()).toMatchObject({ code: 'MARKET_RATE_LIMITED' })
  await limited.close()
})

test('a log that does not answer is a refusal', async () => {
  const away = async (): Promise<never> => {
    throw new StorageUnavailableError('io', 'gone')
  }
  const browser = { topics: away, ranges: away, offsetsAt: away, between: async function* () {} }
  const broken = await openTestApp({ http: { operators }, operations: { browser } })
  for (const path of [PATH, `${PATH}/${TOPICS.inbox}/records`])
    expect((await broken.get(path, OPERATOR)).json()).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  await broken.close()
})
