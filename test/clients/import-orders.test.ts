import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createMarketClient,
  type ImportedOrder,
  type ImportOptions,
  NetworkError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../../clients/typescript/src/index.ts'
import { recordedTiming } from '../support/http/recorded-timing.ts'

type Answer = (lines: readonly string[], response: ServerResponse) => void
/** To each request in turn; then 201 to each line. */
let answers: Answer[]
let requests: { authorization: string | undefined; lines: string[] }[]
let server: Server
let baseUrl: string

beforeEach(async () => {
  answers = []
  requests = []
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const lines = body.trimEnd().split('\n')
      requests.push({ authorization: request.headers.authorization, lines })
      const answer = answers.shift() ?? each(() => 201)
      answer(lines, response.setHeader('content-type', 'application/x-ndjson'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => server.close())

function answerOf(line: number, status: number, text = ''): string {
  const body = status === 201 ? { id: text } : { statusCode: status, message: 'no' }
  const retryAfterSeconds = status === 429 ? 7 : null
  return `${JSON.stringify({ line, status, retryAfterSeconds, body })}\n`
}

const each =
  (statusOf: (number: number) => number): Answer =>
  (lines, response) =>
    response.end(lines.map((text, at) => answerOf(at + 1, statusOf(at + 1), text)).join(''))

/** Breaks the connection after so many lines. */
const brokenAfter =
  (count: number): Answer =>
  (lines, response) => {
    const first = lines.slice(0, count).map((text, at) => answerOf(at + 1, 201, text))
    response.write(`${first.join('')}{"line":`)
    setTimeout(() => response.destroy(), 50)
  }

const refused =
  (status: number): Answer =>
  (_lines, response) =>
    response.writeHead(status).end('{"message":"no"}')

const timing = recordedTiming()

const ordersOf = (count: number) => Array.from({ length: count }, (_, n) => ({ psbt: String(n) }))

async function imported(count: number, attempts = 3): Promise<ImportedOrder[]> {
  const { all, error } = await importedUntil(ordersOf(count), { attempts })
  if (error !== null) throw error
  return all
}

/** What was yielded, and what ended it. */
async function importedUntil(orders: { psbt: string }[], options: ImportOptions) {
  const client = createMarketClient({ baseUrl, token: 'mkc_key', timing })
  const all: ImportedOrder[] = []
  try {
    for await (const one of client.importOrders(orders, options)) all.push(one)
    return { all, error: null }
  } catch (error) {
    return { all, error }
  }
}

test('many orders go in batches of 256, with the key, and are answered in order', async () => {
  const all = await imported(300)
  expect(requests.map(({ lines }) => lines.length)).toEqual([256, 44])
  expect(requests[0]?.authorization).toBe('Bearer mkc_key')
  expect(all.map(({ index }) => index)).toEqual(Array.from({ length: 300 }, (_, n) => n))
  expect(all[299]).toMatchObject({ status: 201, order: { id: '{"psbt":"299"}' }, refusal: null })
})

test('what may pass by itself is sent again, and what is refused is told', async () => {
  answers = [each((number) => [201, 429, 400][number - 1] ?? 201)]
  const all = await imported(3)
  expect(requests[1]?.lines).toEqual(['{"psbt":"1"}'])
  expect(all.map(({ status }) => status)).toEqual([201, 201, 400])
  expect(all[2]).toMatchObject({ order: null, refusal: { message: 'no' } })
})

test('a wrong key ends it at once, and no progress after so many requests', async () => {
  answers = [refused(401)]
  await expect(imported(1)).rejects.toThrow(UnauthorizedError)
  expect(requests).toHaveLength(1)
  answers = Array.from({ length: 3 }, () => each(() => 503))
  await expect(imported(1)).rejects.toThrow(UnavailableError)
  expect(requests).toHaveLength(4)
})

test('where the key ends in the middle of a batch, no order is refused, and it ends', async () => {
  answers = [each((number) => [201, 401, 400, 503][number - 1] ?? 401)]
  const { all, error } = await importedUntil(ordersOf(5), {})
  expect(error).toBeInstanceOf(UnauthorizedError)
  expect(all.map(({ index, status }) => [index, status])).toEqual([
    [0, 201],
    [2, 400],
  ])
  expect(requests).toHaveLength(1)
})

test('where a connection breaks, what it answered is kept, and the rest alone is sent again', async () => {
  answers = [brokenAfter(2), brokenAfter(1), brokenAfter(1)]
  const all = await imported(5, 2)
  expect(requests.map(({ lines }) => lines.length)).toEqual([5, 3, 2, 1])
  expect(all.map(({ order }) => order?.id)).toEqual(ordersOf(5).map((one) => JSON.stringify(one)))
})

test.each<[string, Answer[], number]>([
  ['a refused key', [refused(401)], 2],
  ['no progress', Array.from({ length: 3 }, () => each(() => 503)), 4],
])('what was decided is yielded before %s ends it', async (_what, then, requested) => {
  answers = [each((number) => (number === 2 ? 503 : 201)), ...then]
  const { all, error } = await importedUntil(ordersOf(4), { attempts: 3 })
  expect(all.map(({ index }) => index)).toEqual([0, 2, 3])
  expect(error).toBeInstanceOf(Error)
  expect(requests).toHaveLength(requested)
})

test('what was decided is yielded before the signal ends it', async () => {
  const stop = new AbortController()
  answers = [
    each((number) => (number === 2 ? 503 : 201)),
    (_lines, response) => {
      stop.abort(new Error('enough'))
      response.destroy()
    },
  ]
  const { all, error } = await importedUntil(ordersOf(3), { signal: stop.signal })
  expect(all.map(({ index }) => index)).toEqual([0, 2])
  expect(error).toBe(stop.signal.reason)
})

test('answers that lack lines end it after so many, with pauses', async () => {
  answers = Array.from({ length: 3 }, () => (_lines, response) => response.end())
  const before = timing.waits.length
  const { error } = await importedUntil(ordersOf(2), { attempts: 3 })
  expect(error).toBeInstanceOf(NetworkError)
  expect(String(error)).toContain('the answer has 0 of 2 lines')
  expect(timing.waits.slice(before).filter((ms) => ms > 0)).toHaveLength(2)
})

test.each<[string, Answer]>([
  [
    'a page',
    (_lines, response) => response.setHeader('content-type', 'text/html').end('<html></html>\n'),
  ],
  ['no JSON', (_lines, response) => response.end('welcome\n')],
  ['lines of another kind', (_lines, response) => response.end('{"id":1}\n')],
  ['more lines than were sent', (_lines, response) => response.end(answerOf(9, 201))],
])('a success that is %s ends it at once', async (_what, answer) => {
  answers = [answer]
  const { error } = await importedUntil(ordersOf(1), {})
  expect(error).toBeInstanceOf(UnexpectedAnswerError)
  expect(requests).toHaveLength(1)
})

test.each([408, 429, 502, 503, 504])('a request refused with %i is sent again', async (status) => {
  answers = [refused(status)]
  expect(await imported(1)).toHaveLength(1)
})

test('an order that no batch has room for is refused here, and the others are sent', async () => {
  const orders = [{ psbt: 'a' }, { psbt: 'x'.repeat(5 * 2 ** 20) }, { psbt: 'b' }]
  const { all, error } = await importedUntil(orders, {})
  expect(error).toBeNull()
  expect(requests.map(({ lines }) => lines)).toEqual([['{"psbt":"a"}', '{"psbt":"b"}']])
  expect(all.map(({ status }) => status)).toEqual([201, 413, 201])
  expect(all[1]).toMatchObject({
    order: null,
    refusal: { code: 'PAYLOAD_TOO_LARGE', message: 'the line is larger than 4194303 bytes' },
  })
})
