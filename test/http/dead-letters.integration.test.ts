import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { LettersRetried, ShownLetter } from '../../src/schemas/operations.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toOutpointText } from '../support/ids.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const PATH = '/api/market/admin/dead-letters'
const PARTITIONS = 2
const TXID = 'ab'.repeat(32)

/** An output of the first partition. */
const outpoint = Array.from({ length: 99 }, (_, n) => toOutpointText(`${TXID}:${n}`)).find(
  (one) => partitionOf(one, PARTITIONS) === 0,
)
const readable = {
  ...{ schema: LOG_SCHEMA, kind: 'command', command: 'revalidate', requestId: 'r' },
  ...{ orderId: TXID, outpoint, at: '2026-11-24T12:00:00.000Z' },
}
const dead = (offset: number, value: unknown, partition = 1) => ({
  ...{ topic: TOPICS.dead, partition, key: String(offset) },
  value: { schema: LOG_SCHEMA, kind: 'dead', offset, reason: 'unreadable: <script>', value },
})
const place = (offset: number, partition = 1) => ({ partition, offset })

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ http: { operators, rateLimits: { operator: 9_999 } } })
})
afterAll(() => it.close())

const retry = async (body: object): Promise<LettersRetried> => {
  const answer = await it.post(`${PATH}/retry`, body, OPERATOR)
  expect(answer.statusCode, answer.body).toBe(201)
  return LettersRetried.parse(answer.json())
}
const show = (path: string) => it.get(`${PATH}/${path}`, OPERATOR)
const inboxEnd = () => it.gateway.log.end(TOPICS.inbox, 0)

test('a letter is shown with its record: that of the inbox, or what the letter kept of it', async () => {
  await it.gateway.log.append([
    { topic: TOPICS.inbox, partition: 1, key: 'k', value: { ...readable, requestId: 'whole' } },
    dead(0, { written: 'the beginning' }),
    dead(70, { written: 'expired' }),
  ])
  const shown = { partition: 1, reasons: ['unreadable: <script>'], retriedAt: null }
  const whole = ShownLetter.parse((await show('1/0')).json())
  expect(whole).toEqual({
    ...shown,
    offset: 0,
    isOriginal: true,
    record: { ...readable, requestId: 'whole' },
  })
  const expired = ShownLetter.parse((await show('1/70')).json())
  expect(expired).toMatchObject({ isOriginal: false, record: { written: 'expired' } })
})

test.each(['1/9999', '9/0', '999999999999999/0'])('there is no letter %s', async (path) => {
  const answer = await show(path)
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'NOT_FOUND'])
})

test.each(['one/0', '1/-1', '1/1.5'])('%s is not a place', async (path) => {
  expect((await show(path)).statusCode).toBe(400)
})

describe('a retry', () => {
  test('appends what can be read, once, and says why not to the rest', async () => {
    await it.gateway.log.append([dead(80, readable), dead(81, { ...readable, schema: 2 })])
    const before = await inboxEnd()
    const places = [place(81), place(80), place(82)]
    expect(await retry({ places })).toEqual({
      next: null,
      retries: [
        { place: place(80), toPartition: 0, why: null },
        {
          place: place(81),
          toPartition: null,
          why: 'still unreadable: this release reads schema 1, and its schema is 2',
        },
        { place: place(82), toPartition: null, why: 'no such dead letter' },
      ],
    })
    expect(await inboxEnd()).toBe(before + 1)
    const again = await retry({ places: [place(80)] })
    expect(again.retries[0]?.why).toMatch(/^already retried at 20/)
    expect(await inboxEnd()).toBe(before + 1)
    expect((await show('1/80')).json().retriedAt).toMatch(/^20/)
  })

  test('names its operator and the places in the log of the service', async () => {
    it.logLines.length = 0
    await retry({ places: [place(82)] })
    const lines = it.logLines.map((line) => JSON.parse(line)).filter(({ audit }) => audit)
    expect(lines.map(({ audit, msg }) => [msg, audit])).toEqual([
      ['an operator asks to retry dead letters', { operator: 'bob', letters: ['1/82'] }],
      ['an operator retried dead letters', { operator: 'bob', letters: ['1/82'] }],
    ])
  })

  test('of all takes them in the order of their places, and goes on after a place', async () => {
    await it.gateway.log.append(
      Array.from({ length: 201 }, (_, n) => dead(1_000 + n, { n })).concat(dead(5, readable, 0)),
    )
    const first = await retry({ places: 'all' })
    expect(first.retries[0]).toEqual({ place: place(5, 0), toPartition: 0, why: null })
    expect(first.retries).toHaveLength(200)
    expect(first.next).toEqual(first.retries.at(-1)?.place)
    const second = await retry({ places: 'all', after: first.next })
    expect(second.next).toBeNull()
    expect(second.retries.at(-1)?.place).toEqual(place(1_200))
    const all = [...first.retries, ...second.retries].map(({ place: { partition, offset } }) =>
      [partition, offset].join(),
    )
    expect(new Set(all).size).toBe(all.length)
    expect(all).not.toContain('1,80')
  })

  test.each([
    [{}, 'places'],
    [{ places: [] }, 'places'],
    [{ places: 'none' }, 'places'],
    [{ places: [{ partition: 1, offset: -1 }] }, 'places'],
    [{ places: 'all', more: 1 }, 'more'],
  ])('of %j is refused', async (body, field) => {
    const answer = await it.post(`${PATH}/retry`, body, OPERATOR)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain(field)
  })
})

test('only operators are answered', async () => {
  expect((await it.get(`${PATH}/1/0`)).statusCode).toBe(401)
  expect((await it.post(`${PATH}/retry`, { places: 'all' })).statusCode).toBe(401)
})
