import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ImportRun, importLines } from '../../../src/operator/service/import-lines.ts'
import { answeredLines, appendAnswers } from '../../../src/operator/service/kept-answers.ts'
import { linesFrom } from '../../../src/operator/service/lines.ts'
import type { BatchLine } from '../../../src/schemas/api/batch.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const refusal = (statusCode: number): BatchLine['body'] => ({
  ...{ statusCode, error: 'x', message: `status ${statusCode}` },
})

/** What the service answers to each request, in turn; then each line with 400. */
type Answer = (lines: readonly string[], response: ServerResponse) => void
let answers: Answer[]
let requests: string[][]
let server: Server
let address: string
let waits: number[]
let written: BatchLine[]

beforeEach(async () => {
  answers = []
  requests = []
  waits = []
  written = []
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const lines = body.trimEnd().split('\n')
      requests.push(lines)
      const answer = answers.shift() ?? each(() => 400)
      answer(lines, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => server.close())

const answerOf = (line: number, status: number): string =>
  `${JSON.stringify({ line, status, retryAfterSeconds: status === 429 ? 7 : null, body: refusal(status) })}\n`

const each =
  (statusOf: (line: string, number: number) => number): Answer =>
  (lines, response) =>
    response.end(lines.map((line, at) => answerOf(at + 1, statusOf(line, at + 1))).join(''))

async function* given(count: number): AsyncGenerator<string> {
  for (let n = 1; n <= count; n += 1) yield `line ${n}`
}

const run = (count: number, changes: Partial<ImportRun> = {}) =>
  importLines({
    service: { address, token: 'mkc_x' },
    lines: given(count),
    first: 1,
    write: async (all) => void written.push(...all),
    onProgress: () => {},
    clock: { sleep: async (ms) => void waits.push(ms) },
    signal: new AbortController().signal,
    ...changes,
  })

const statuses = () => written.map(({ line, status }) => [line, status])

describe('lines are sent', () => {
  test('in batches of 256, and answered by their number in the file', async () => {
    expect(await run(300, { first: 11 })).toEqual({ taken: 0, refused: 300 })
    expect(requests.map((lines) => lines.length)).toEqual([256, 44])
    expect(written.map(({ line }) => line)).toEqual(Array.from({ length: 300 }, (_, n) => n + 11))
  })

  test('again if they may pass by themselves, after what the service asks for, and no others', async () => {
    answers = [each((_line, number) => [400, 429, 504, 400][number - 1] ?? 400)]
    await run(4)
    expect(requests).toEqual([
      ['line 1', 'line 2', 'line 3', 'line 4'],
      ['line 2', 'line 3'],
    ])
    expect(waits).toEqual([7_000])
    expect(statuses()).toEqual([1, 2, 3, 4].map((line) => [line, 400]))
  })

  test('again from the first without an answer, where a connection broke', async () => {
    answers = [
      (_lines, response) => {
        response.write(answerOf(1, 400) + answerOf(2, 400))
        setTimeout(() => response.destroy(), 50)
      },
    ]
    await run(3)
    expect(requests[1]?.at(-1)).toBe('line 3')
    expect(statuses()).toEqual([1, 2, 3].map((line) => [line, 400]))
  })

  test('again where the service refuses all of them for a while', async () => {
    answers = [(_lines, response) => response.writeHead(503).end('{"message":"busy"}')]
    await run(1)
    expect(requests).toHaveLength(2)
    expect(statuses()).toEqual([[1, 400]])
  })
})

describe('the import ends', () => {
  test('at once where the key is wrong', async () => {
    answers = [(_lines, response) => response.writeHead(401).end('{"message":"no such key"}')]
    await expect(run(2)).rejects.toThrow('no such key')
    expect([requests.length, written]).toEqual([1, []])
  })

  test('after ten requests that brought nothing, with the last reason', async () => {
    answers = Array.from({ length: 10 }, () => each(() => 503))
    await expect(run(1)).rejects.toThrow('status 503')
    expect(requests).toHaveLength(10)
  })

  test('with its signal, and writes whole batches alone', async () => {
    const stop = new AbortController()
    answers = [each(() => 400), () => stop.abort()]
    expect(await run(300, { signal: stop.signal })).toEqual({ taken: 0, refused: 256 })
    expect(written).toHaveLength(256)
  })
})

describe('the file of answers', () => {
  const { path: folder, drop } = temporaryDirectory()
  afterAll(drop)
  const path = join(folder, 'asks.answers')
  const answer = (line: number): BatchLine => ({
    ...{ line, status: 400, retryAfterSeconds: null, body: refusal(400) },
  })

  test('says how many lines were answered; what a kill cut off is removed', async () => {
    expect(await answeredLines(path)).toBe(0)
    await appendAnswers(path, [answer(1), answer(2)])
    const whole = readFileSync(path, 'utf8')
    appendFileSync(path, JSON.stringify(answer(3)).slice(0, -5))
    expect(await answeredLines(path)).toBe(2)
    expect(readFileSync(path, 'utf8')).toBe(whole)
    // Whole but for its end.
    appendFileSync(path, JSON.stringify(answer(3)))
    expect(await answeredLines(path)).toBe(2)
    await appendAnswers(path, [answer(3)])
    expect(await answeredLines(path)).toBe(3)
  })

  test.each(['{"psbt":"x"}\n', 'text\n', `${JSON.stringify(answer(2))}\n`])(
    'is no other file: %s',
    async (content) => {
      const other = join(folder, 'other')
      writeFileSync(other, content)
      await expect(answeredLines(other)).rejects.toThrow('name another file with --answers')
      expect(readFileSync(other, 'utf8')).toBe(content)
    },
  )
})

test('lines end with a line feed, and nothing else', async () => {
  async function* chunks() {
    for (const piece of ['a\u2028b\r\n', '\nc', 'ß'.slice(0, 1), '\nlast']) yield Buffer.from(piece)
  }
  const lines: string[] = []
  for await (const line of linesFrom(chunks())) lines.push(line)
  expect(lines).toEqual(['a\u2028b\r', '', 'cß', 'last'])
})
