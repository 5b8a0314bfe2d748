import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ImportRun, importLines } from '../../../src/operator/service/import-lines.ts'
import {
  appendAnswers,
  digestOfLine,
  type KeptAnswer,
  keptAnswers,
  unanswered,
} from '../../../src/operator/service/kept-answers.ts'
import { type InputLine, linesFrom } from '../../../src/operator/service/lines.ts'
import { BatchLine } from '../../../src/schemas/api/batch.ts'
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
let written: KeptAnswer[]

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
      answer(lines, response.setHeader('content-type', 'application/x-ndjson'))
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

const whole = (text: string): InputLine => ({ text, isCut: false, isEnded: true })

async function* given(count: number): AsyncGenerator<InputLine> {
  for (let n = 1; n <= count; n += 1) yield whole(`line ${n}`)
}

const run = (count: number, changes: Partial<ImportRun> = {}) =>
  importLines({
    service: { address, token: 'mkc_x' },
    lines: () => given(count),
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
    expect(await run(300, { first: 11 })).toEqual({ taken: 0, refused: 300, isWhole: true })
    expect(requests.map((lines) => lines.length)).toEqual([256, 44])
    expect(written.map(({ line }) => line)).toEqual(Array.from({ length: 300 }, (_, n) => n + 11))
    expect(written[299]?.input).toBe(digestOfLine('line 300'))
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

test('where the key ends in the middle of a batch, its lines have no answer, and it ends', async () => {
  answers = [each((_line, number) => [400, 429, 401, 400][number - 1] ?? 401)]
  await expect(run(6)).rejects.toThrow('status 401')
  expect(requests).toHaveLength(1)
  expect(statuses()).toEqual([[1, 400]])
})

describe('a whole request that is refused', () => {
  test.each([408, 429, 502, 503, 504])('with %i is sent again', async (status) => {
    answers = [(_lines, response) => response.writeHead(status).end('{"message":"later"}')]
    await run(1)
    expect(requests).toHaveLength(2)
  })

  test.each([
    ['17', 17_000],
    [new Date(Date.now() + 90_000).toUTCString(), 80_000],
  ])('is sent again after its Retry-After: %s', async (retryAfter, atLeastMs) => {
    answers = [
      (_lines, response) =>
        response.writeHead(503, { 'retry-after': retryAfter }).end('{"message":"later"}'),
    ]
    await run(1)
    expect(waits[0]).toBeGreaterThanOrEqual(atLeastMs)
    expect(waits[0]).toBeLessThanOrEqual(atLeastMs + 10_000)
  })
})

test('a line without room in a batch is refused here, and the others are sent', async () => {
  async function* lines() {
    yield whole('line 1')
    yield { ...whole('line 2'), isCut: true }
    yield whole('line 3')
  }
  expect(await run(0, { lines })).toMatchObject({ refused: 3, isWhole: true })
  expect(requests).toEqual([['line 1', 'line 3']])
  expect(statuses()).toEqual([
    [1, 400],
    [2, 413],
    [3, 400],
  ])
  expect(BatchLine.shape.body.parse(written[1]?.body)).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: 'the line is larger than 4194303 bytes',
  })
})

test('lines that come slowly are sent when no other has come for a second', async () => {
  let isFirstAnswered = false
  answers = [
    (lines, response) => {
      isFirstAnswered = true
      each(() => 400)(lines, response)
    },
  ]
  async function* lines() {
    yield whole('line 1')
    yield whole('line 2')
    while (!isFirstAnswered) await new Promise((resolve) => setTimeout(resolve, 10))
    yield whole('line 3')
  }
  expect(await run(0, { lines })).toMatchObject({ refused: 3, isWhole: true })
  expect(requests).toEqual([['line 1', 'line 2'], ['line 3']])
})

test('the input is closed when the import ends while it waits for a line', async () => {
  answers = [(_lines, response) => response.writeHead(401).end('{"message":"no such key"}')]
  let isClosed = false
  async function* lines(signal: AbortSignal) {
    try {
      yield whole('line 1')
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    } finally {
      isClosed = true
    }
  }
  await expect(run(0, { lines })).rejects.toThrow('no such key')
  expect(isClosed).toBe(true)
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
    expect(await run(300, { signal: stop.signal })).toEqual({
      taken: 0,
      refused: 256,
      isWhole: false,
    })
    expect(written).toHaveLength(256)
  })

  test('with its signal while it waits for a line: what was read and not sent is not sent', async () => {
    const stop = new AbortController()
    async function* waiting() {
      yield whole('line 1')
      setTimeout(() => stop.abort(), 20)
      await new Promise((_resolve, reject) => {
        stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true })
      })
    }
    const counts = await run(0, { lines: waiting, signal: stop.signal })
    expect(counts).toEqual({ taken: 0, refused: 0, isWhole: false })
    expect(requests).toEqual([])
  })

  test('and is whole where the signal comes after the last line', async () => {
    const stop = new AbortController()
    const write = async () => stop.abort()
    expect(await run(1, { write, signal: stop.signal })).toMatchObject({ isWhole: true })
  })

  test('with the answers that it has before the first line without one', async () => {
    answers = [
      each((_line, number) => (number === 3 ? 503 : 400)),
      (_lines, response) => response.writeHead(401).end('{"message":"no such key"}'),
    ]
    await expect(run(4)).rejects.toThrow('no such key')
    expect(statuses()).toEqual([1, 2].map((line) => [line, 400]))
  })

  test('and says why it waits', async () => {
    answers = [each(() => 503), each(() => 429)]
    const said: string[] = []
    await run(1, { onWait: (why) => void said.push(why) })
    expect(said).toHaveLength(2)
    expect(said[1]).toBe('status 429; trying again in 7 s')
  })

  test('after ten answers that lack lines, with a pause between them', async () => {
    answers = Array.from({ length: 10 }, () => (_lines, response) => response.end())
    await expect(run(2)).rejects.toThrow('the answer to a batch has 0 of 2 lines')
    expect([requests.length, waits.length]).toEqual([10, 9])
    expect(Math.min(...waits)).toBeGreaterThan(0)
  })

  test.each<[string, Answer]>([
    [
      'a page',
      (_lines, response) => response.setHeader('content-type', 'text/html').end('<html></html>\n'),
    ],
    ['no JSON', (_lines, response) => response.end('welcome\n')],
    ['lines of another release', (_lines, response) => response.end('{"line":1,"state":"x"}\n')],
    ['more lines than were sent', (_lines, response) => response.end(answerOf(2, 400))],
  ])('at once where a success is %s', async (_what, answer) => {
    answers = [answer]
    await expect(run(1)).rejects.toThrow(
      `${address}/api/market/orders/import/batch does not answer as this release of the service does`,
    )
    expect(requests).toHaveLength(1)
  })
})

describe('the file of answers', () => {
  const { path: folder, drop } = temporaryDirectory()
  afterAll(drop)
  const path = join(folder, 'asks.answers')
  const answer = (line: number, input?: string): KeptAnswer => ({
    ...{ line, status: 400, retryAfterSeconds: null, body: refusal(400) },
    ...(input !== undefined && { input: digestOfLine(input) }),
  })
  const answeredIn = async (file: string) => (await keptAnswers(file)).lines

  test('says how many lines were answered; what a kill cut off is removed', async () => {
    expect(await answeredIn(path)).toBe(0)
    await appendAnswers(path, [answer(1), answer(2)])
    const whole = readFileSync(path, 'utf8')
    appendFileSync(path, JSON.stringify(answer(3)).slice(0, -5))
    expect(await answeredIn(path)).toBe(2)
    expect(readFileSync(path, 'utf8')).toBe(whole)
    // Whole but for its end.
    appendFileSync(path, JSON.stringify(answer(3)))
    expect(await answeredIn(path)).toBe(2)
    await appendAnswers(path, [answer(3)])
    expect(await answeredIn(path)).toBe(3)
  })

  test('says how many lines were refused', async () => {
    const file = join(folder, 'refused')
    const taken = { ...answer(2), status: 201 }
    await appendAnswers(file, [answer(1), taken, answer(3)])
    expect(await keptAnswers(file)).toMatchObject({ lines: 3, refused: 2 })
  })

  const leftOf = async (file: string, count: number) => {
    const left: string[] = []
    for await (const { text } of unanswered(await keptAnswers(file), given(count))) left.push(text)
    return left
  }

  test('belongs to one input: lines are passed over only where they have its digests', async () => {
    const file = join(folder, 'input')
    await appendAnswers(file, [answer(1, 'line 1'), answer(2, 'line 2')])
    expect(await leftOf(file, 3)).toEqual(['line 3'])
    await expect(leftOf(file, 1)).rejects.toThrow('has 2 answers, and the input 1 line')
    await appendAnswers(file, [answer(3, 'another line')])
    await expect(leftOf(file, 4)).rejects.toThrow('has the answer to another line 3')
  })

  test('has no answer from the first line on whose key had ended', async () => {
    const file = join(folder, 'key')
    const ended = { ...answer(2, 'line 2'), status: 401 }
    await appendAnswers(file, [answer(1, 'line 1'), ended, answer(3, 'line 3')])
    expect(await leftOf(file, 3)).toEqual(['line 2', 'line 3'])
    await appendAnswers(file, [answer(2, 'line 2')])
    expect(await leftOf(file, 3)).toEqual(['line 3'])
  })

  test('of a release that wrote no digests is continued', async () => {
    const file = join(folder, 'earlier')
    await appendAnswers(file, [answer(1)])
    expect(await leftOf(file, 2)).toEqual(['line 2'])
  })

  test.each(['{"psbt":"x"}\n', 'text\n', `${JSON.stringify(answer(2))}\n`])(
    'is no other file: %s',
    async (content) => {
      const other = join(folder, 'other')
      writeFileSync(other, content)
      await expect(keptAnswers(other)).rejects.toThrow('name another file with --answers')
      expect(readFileSync(other, 'utf8')).toBe(content)
    },
  )
})

const read = async (pieces: readonly (string | Buffer)[]) => {
  async function* chunks() {
    for (const piece of pieces) yield Buffer.from(piece)
  }
  const lines: InputLine[] = []
  for await (const line of linesFrom(chunks())) lines.push(line)
  return lines
}

test('lines end with a line feed, and nothing else', async () => {
  const [first, rest] = [Buffer.from('\ncß').subarray(0, 3), Buffer.from('ß').subarray(1)]
  const lines = await read(['\ufeffa\u2028b\r\n', first, rest, '\nlast'])
  expect(lines.map(({ text }) => text)).toEqual(['a\u2028b\r', '', 'cß', 'last'])
  expect(lines.map(({ isEnded }) => isEnded)).toEqual([true, true, true, false])
})

test('of a line that is too long for a batch no more is kept than a batch has room for', async () => {
  const MAX = 4 * 2 ** 20 - 1
  const longest = 'ß'.repeat((MAX - 1) / 2)
  const lines = await read([`${longest}x\n`, longest, 'xy', 'z\nnext\n', 'w'.repeat(2 * MAX)])
  expect(lines.map(({ text, isCut, isEnded }) => [text.length, isCut, isEnded])).toEqual([
    [longest.length + 1, false, true],
    [longest.length + 1, true, true],
    [4, false, true],
    [MAX, true, false],
  ])
})
