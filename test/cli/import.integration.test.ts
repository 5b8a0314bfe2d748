import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'

// `market import` as a process of its own: its status, its input and its file of answers.

/** What the service answers to each request, in turn; then each line with 400. */
type Answer = (lines: readonly string[], response: ServerResponse) => void

let bundle: Bundle
let server: Server
let address: string
let answers: Answer[]
let requests: string[][]
let folder: ReturnType<typeof temporaryDirectory>
const path = (name: string) => join(folder.path, name)

beforeAll(async () => {
  bundle = await bundleService()
})
afterAll(() => bundle.drop())

beforeEach(async () => {
  folder = temporaryDirectory()
  answers = []
  requests = []
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const lines = body.trimEnd().split('\n')
      requests.push(lines)
      const answer = answers.shift() ?? refuseEach
      answer(lines, response.setHeader('content-type', 'application/x-ndjson'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
  folder.drop()
})

const answerOf = (line: number): string =>
  `${JSON.stringify({
    ...{ line, status: 400, retryAfterSeconds: null },
    body: { statusCode: 400, error: 'Bad Request', message: 'no' },
  })}\n`
const refuseEach: Answer = (lines, response) =>
  response.end(lines.map((_line, at) => answerOf(at + 1)).join(''))

/** In the folder, as a shell runs it. */
function started(command: string) {
  const child = spawn(
    'bash',
    ['--norc', '-c', `market() { exec "$NODE" "$MARKET" "$@"; }\n${command}`],
    {
      cwd: folder.path,
      env: {
        ...{ PATH: process.env['PATH'], NODE: process.execPath, MARKET: bundle.market },
        ...{ ENV_FILE: '', API_KEY: 'mkc_x', SERVICE: address },
      },
    },
  )
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return {
    child,
    ended: ended.then(([stdout, stderr, [code]]) => ({ stdout, stderr, code: code as number })),
  }
}
const ran = (command: string) => started(command).ended

test('the status says of all lines whether they were taken, in this run and before it', async () => {
  writeFileSync(path('asks.ndjson'), 'a\nb\n')
  const command = 'market import asks.ndjson --service $SERVICE'
  expect(await ran(command)).toMatchObject({ code: 1 })
  const again = await ran(command)
  expect(again).toMatchObject({ code: 1 })
  expect(again.stdout).toBe(
    '2 lines were answered before, 2 of them refused; 0 taken, 0 refused, answers in asks.ndjson.answers\n',
  )
  const asJson = await ran(`${command} --json`)
  expect(JSON.parse(asJson.stdout)).toMatchObject({ before: 2, refusedBefore: 2, refused: 0 })
})

test('the answers to one input are not those to another', async () => {
  writeFileSync(path('monday.ndjson'), 'a\nb\n')
  writeFileSync(path('tuesday.ndjson'), 'a\nc\nd\n')
  await ran('market import - --service $SERVICE < monday.ndjson')
  const kept = readFileSync(path('import.answers'), 'utf8')
  const other = await ran('market import - --service $SERVICE < tuesday.ndjson')
  expect(other.code).toBe(1)
  expect(other.stderr).toContain(
    'import.answers has the answer to another line 2: name another file with --answers, or remove import.answers to import all lines again',
  )
  expect(requests).toEqual([['a', 'b']])
  expect(readFileSync(path('import.answers'), 'utf8')).toBe(kept)
  rmSync(path('import.answers'))
  await ran('market import - --service $SERVICE < tuesday.ndjson')
  expect(requests[1]).toEqual(['a', 'c', 'd'])
})

test.each([
  ['a process', 'market import <(cat asks.ndjson) --service $SERVICE'],
  ['stdin by its path', 'cat asks.ndjson | (market import /dev/stdin --service $SERVICE)'],
  ['a named pipe', 'mkfifo pipe; cat asks.ndjson > pipe & market import pipe --service $SERVICE'],
])('a pipe is read once, from its begin to its end: %s', async (_what, command) => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} ${'x'.repeat(90)}`)
  writeFileSync(path('asks.ndjson'), `${lines.join('\n')}\n`)
  const { stdout, stderr } = await ran(command)
  expect(stdout, stderr).toBe('0 taken, 3000 refused, answers in import.answers\n')
  expect(requests.flat()).toEqual(lines)
})

test.each([
  ['SIGINT', 'stdin', 'market import - --service $SERVICE'],
  ['SIGTERM', 'stdin', 'market import - --service $SERVICE'],
  [
    'SIGINT',
    'a process',
    'market import <(exec 2>&-; printf "a\\nb"; exec sleep 30) --service $SERVICE',
  ],
  ['SIGTERM', 'a named pipe', 'exec 4<>pipe; market import pipe --service $SERVICE'],
  ['SIGINT', 'a named pipe without a writer', 'market import pipe --service $SERVICE'],
] as const)('%s ends it while it waits for a line of %s', async (signal, _what, command) => {
  spawnSync('mkfifo', [path('pipe')])
  const { child, ended } = started(command)
  child.stdin.write('a\nb')
  await once(child.stderr, 'data')
  // It has read what there is.
  await delay(300)
  child.kill(signal)
  const { code, stdout } = await ended
  expect([code, stdout]).toEqual([
    1,
    '0 taken, 0 refused, answers in import.answers; interrupted: run it again to continue\n',
  ])
  expect(requests).toEqual([])
  expect(readFileSync(path('import.answers'), 'utf8')).toBe('')
})

test('a line that no batch has room for is refused, and those around it are sent', async () => {
  writeFileSync(path('asks.ndjson'), `a\n${'x'.repeat(9 * 2 ** 20)}\nb\n`)
  const command = 'market import asks.ndjson --service $SERVICE'
  expect(await ran(command)).toMatchObject({ code: 1 })
  expect(requests).toEqual([['a', 'b']])
  const kept = readFileSync(path('asks.ndjson.answers'), 'utf8').trimEnd().split('\n')
  expect(kept.map((line) => JSON.parse(line).status)).toEqual([400, 413, 400])
  expect((await ran(command)).stdout).toContain('3 lines were answered before, 3 of them refused')
})

test.each([
  ['--service market.example', 'It must begin with http:// or https://.'],
  ['--service https://user@market.example', 'It must have no user, no query and no fragment.'],
])('an address that is none is refused before anything is read: %s', async (option, said) => {
  const { code, stderr } = await ran(`market import nowhere ${option}`)
  expect(code).toBe(1)
  expect(stderr).toContain(said)
})

test('a key that no header takes is refused, and not shown', async () => {
  writeFileSync(path('asks.ndjson'), 'a\n')
  const command = "API_KEY='mkc_x y' market import asks.ndjson --service $SERVICE"
  const { code, stderr } = await ran(command)
  expect(code).toBe(1)
  expect(stderr).toContain('API_KEY must be of visible ASCII characters, without spaces')
  expect(stderr).not.toContain('mkc_x')
})

test('a service that is away is named by why, and without how to start one', async () => {
  writeFileSync(path('asks.ndjson'), 'a\n')
  server.close()
  const { child, ended } = started('market import asks.ndjson --service $SERVICE')
  await once(child.stderr, 'data')
  await delay(1_500)
  child.kill('SIGINT')
  const { stderr } = await ended
  expect(stderr).toMatch(
    /market: cannot reach the service at \S+: connect ECONNREFUSED \S+; trying again in \d+ s\n/,
  )
  expect(stderr).not.toContain('market start')
})

test.each([
  ['nowhere', 'nowhere cannot be read: there is no such file'],
  ['.', '. is a folder: name a file'],
])('an input that is none is named in a sentence: %s', async (input, said) => {
  expect(await ran(`market import ${input} --service $SERVICE`)).toEqual({
    code: 1,
    stdout: '',
    stderr: `market: ${said}\n`,
  })
})

test('a signal ends it while it counts the lines of a file', async () => {
  // Sparse: one line without an end, which takes a while to read.
  writeFileSync(path('asks.ndjson'), '')
  truncateSync(path('asks.ndjson'), 2 ** 36)
  const { child, ended } = started('market import asks.ndjson --service $SERVICE')
  await vi.waitFor(() => readFileSync(path('asks.ndjson.answers')), 20_000)
  await delay(200)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect(stdout, stderr).toMatch(/; interrupted: run it again to continue\n$/)
  expect(code).toBe(1)
})
