import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createMarketClient,
  type ImportedOrder,
  UnauthorizedError,
  UnavailableError,
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
      answer(lines, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => server.close())

const each =
  (statusOf: (number: number) => number): Answer =>
  (lines, response) =>
    response.end(
      lines
        .map((text, at) => {
          const status = statusOf(at + 1)
          const body = status === 201 ? { id: text } : { statusCode: status, message: 'no' }
          const retryAfterSeconds = status === 429 ? 7 : null
          return `${JSON.stringify({ line: at + 1, status, retryAfterSeconds, body })}\n`
        })
        .join(''),
    )

const timing = recordedTiming()

async function imported(count: number, attempts = 3): Promise<ImportedOrder[]> {
  const client = createMarketClient({ baseUrl, token: 'mkc_key', timing })
  const orders = Array.from({ length: count }, (_, n) => ({ psbt: String(n) }))
  const all: ImportedOrder[] = []
  for await (const one of client.importOrders(orders, { attempts })) all.push(one)
  return all
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
  answers = [(_lines, response) => response.writeHead(401).end('{"message":"no"}')]
  await expect(imported(1)).rejects.toThrow(UnauthorizedError)
  expect(requests).toHaveLength(1)
  answers = Array.from({ length: 3 }, () => each(() => 503))
  await expect(imported(1)).rejects.toThrow(UnavailableError)
  expect(requests).toHaveLength(4)
})
