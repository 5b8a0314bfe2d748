import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { GeneratedChain } from '../../../bench/rehearsal/chain.ts'
import { openRest, type Rest } from '../../../src/adapters/bitcoind/rest.ts'
import { ManualClock } from '../../support/manual-clock.ts'

// What a node may answer at /rest/block/HASH.bin, byte by byte. Recorded from Bitcoin Core: with
// -rest an unknown block is a 404 that names it in the text; without it each path is an empty 404.

const chain = new GeneratedChain({ height: 2, fullBlocks: 1, transactions: 400, isRepeated: true })
const { hash } = chain.tip
const BLOCK = chain.block(chain.tip)
const OK = `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n`
const announced = (length: number) => `${OK}Content-Length: ${length}\r\n\r\n`
const NOT_FOUND = `HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: ${hash.length + 12}\r\n\r\n${hash} not found\r\n`
const OFF = `HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nContent-Type: text/html; charset=ISO-8859-1\r\n\r\n`
/** A few: each waits for its turn, and a busy machine must not take them to the time limit. */
const PIECE = Math.ceil(BLOCK.length / 8)
const TIMEOUT_MS = 2_000

type Answer = (socket: Socket) => void | Promise<void>

let server: Server
let rest: Rest
let asked: string[]
const clock = new ManualClock()
const sockets = new Set<Socket>()
afterEach(async () => {
  await rest.close()
  for (const socket of sockets) socket.destroy()
  server.close()
})

async function answering(...answers: Answer[]): Promise<void> {
  asked = []
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      asked.push(data.toString('latin1').split('\r\n', 1)[0] ?? '')
      void answers[Math.min(asked.length, answers.length) - 1]?.(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/wallet/any`
  rest = openRest({ url, clock, timeoutMs: TIMEOUT_MS, onRequest: () => {} })
}

const saying =
  (...parts: readonly (string | Uint8Array)[]): Answer =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

test('a block arrives as bytes, requested by its name at the root', async () => {
  await answering(saying(announced(BLOCK.length), BLOCK))
  expect(Buffer.from((await rest.block(hash)) ?? []).equals(BLOCK)).toBe(true)
  expect(asked).toEqual([`GET /rest/block/${hash}.bin HTTP/1.1`])
})

test('in pieces, with and without its length', async () => {
  const inPieces: Answer = async (socket) => {
    for (let at = 0; at < BLOCK.length; at += PIECE) {
      socket.write(BLOCK.subarray(at, at + PIECE))
      await delay(0)
    }
  }
  await answering(
    async (socket) => {
      socket.write(announced(BLOCK.length))
      await inPieces(socket)
    },
    async (socket) => {
      socket.write(`${OK}Connection: close\r\n\r\n`)
      await inPieces(socket)
      socket.end()
    },
  )
  for (let time = 0; time < 2; time += 1) {
    expect(Buffer.from((await rest.block(hash)) ?? []).equals(BLOCK)).toBe(true)
  }
})

test.each<[string, Answer, number]>([
  ['a node without that block, which says so', saying(NOT_FOUND), 2],
  ['a node without REST', saying(OFF), 1],
  [
    'another block',
    saying(
      announced(BLOCK.length),
      BLOCK.map((byte) => byte ^ 1),
    ),
    1,
  ],
  ['a page for people', saying(announced(6), '<html>'), 1],
  ['an empty body', saying(announced(0)), 1],
  ['an endless reason', saying('HTTP/1.1 503 Busy\r\n\r\n', Buffer.alloc(1_000_000)), 1],
  ['a body that ends too early', (socket) => void socket.end(`${announced(BLOCK.length)}x`), 2],
  ['a body larger than a block may be', saying(announced(4_000_001), Buffer.alloc(4_000_001)), 2],
  ['a body that grows past it', saying(`${OK}\r\n`, BLOCK, Buffer.alloc(4_000_000)), 2],
  ['not HTTP', saying('\0\0\0\0'), 2],
  ['a connection that ends', (socket) => void socket.destroy(), 2],
  ['nothing', () => {}, 2],
])('%s is no answer, and the RPC is asked', async (_what, answer, timesAsked) => {
  await answering(answer)
  expect([await rest.block(hash), await rest.block(hash)]).toEqual([null, null])
  expect(asked.length).toBeGreaterThanOrEqual(timesAsked)
  if (timesAsked === 1) expect(asked).toHaveLength(1)
})

test('what follows a body of the announced length is not part of a block', async () => {
  await answering(saying(announced(BLOCK.length), BLOCK, 'more than was announced'))
  const bytes = await rest.block(hash)
  expect(bytes === null || Buffer.from(bytes).equals(BLOCK)).toBe(true)
})

test('a node without REST is asked again after a minute', async () => {
  await answering(saying(OFF), saying(announced(BLOCK.length), BLOCK))
  expect(await rest.block(hash)).toBeNull()
  clock.advance(59_000)
  expect(await rest.block(hash)).toBeNull()
  expect(asked).toHaveLength(1)
  clock.advance(1_000)
  expect(await rest.block(hash)).toHaveLength(BLOCK.length)
})
