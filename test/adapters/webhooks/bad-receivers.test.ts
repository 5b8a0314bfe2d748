import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type HttpWebhooks,
  openHttpWebhooks,
} from '../../../src/adapters/webhooks/http-transport.ts'
import { systemClock as clock } from '../../support/system-clock.ts'
import { eventually } from '../../support/webhooks/eventually.ts'

// Receivers that answer badly, on real connections: nothing is held of them.

/** Enough for an answer, however busy the machine is. */
const PATIENT = { connect: 30_000, headers: 30_000, whole: 30_000, body: 500, bodyBytes: 1_024 }
/** For answers that never come. */
const HASTY = { ...PATIENT, headers: 1_000, whole: 1_500 }
/** More than the connections of a webhook. */
const POSTS = 6
const BEGINNING = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n'
const BYTE_MS = 100

type Receiver = (socket: Socket) => void

let answer: Receiver
let sockets: Set<Socket>
/** Those that a request came over. */
let asked: Set<Socket>
let server: ReturnType<typeof createServer>
let transport: HttpWebhooks
let hasty: HttpWebhooks
beforeEach(async () => {
  sockets = new Set()
  asked = new Set()
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      asked.delete(socket)
    })
    socket.on('data', () => {
      asked.add(socket)
      answer(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  transport = openHttpWebhooks({ clock, loopback: true, limits: PATIENT })
  hasty = openHttpWebhooks({ clock, loopback: true, limits: HASTY })
})
afterEach(async () => {
  await transport.close()
  await hasty.close()
  for (const socket of sockets) socket.destroy()
  server.close()
})

const post = (through: HttpWebhooks, signal = new AbortController().signal) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return through.post({ webhook: 'shop', url, headers: {}, body: '{}' }, signal)
}
const works: Receiver = (socket) => {
  socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
}
/** After these bytes: reset, silence, or one more byte now and then, or as many as are taken. */
const reset =
  (begun: string): Receiver =>
  (socket) => {
    socket.write(begun, () => socket.resetAndDestroy())
  }
const silent =
  (begun: string): Receiver =>
  (socket) => {
    socket.write(begun)
  }
const slow =
  (begun: string): Receiver =>
  (socket) => {
    socket.write(begun)
    const more = setInterval(() => socket.write('x'), BYTE_MS)
    socket.on('close', () => clearInterval(more))
  }
const endless =
  (begun: string): Receiver =>
  (socket) => {
    socket.write(begun)
    const more = () => {
      while (!socket.destroyed && socket.write('x'.repeat(65_536)));
    }
    socket.on('drain', more)
    more()
  }

const FAILS = 'fail'
const COUNTS = 'answer'
const RECEIVERS: [what: string, receiver: Receiver, outcome: typeof FAILS | typeof COUNTS][] = [
  ['is reset before its answer', reset(''), FAILS],
  ['is reset in the middle of its headers', reset(BEGINNING), FAILS],
  ['is reset in the middle of its body', reset(`${BEGINNING}\r\nok`), COUNTS],
  ['never answers', silent(''), FAILS],
  ['stops in the middle of its headers', silent(BEGINNING), FAILS],
  ['stops in the middle of its body', silent(`${BEGINNING}\r\nok`), COUNTS],
  ['sends its headers byte by byte', slow(`${BEGINNING}x-slow: `), FAILS],
  ['sends its body byte by byte', slow(`${BEGINNING}\r\n`), COUNTS],
  ['sends headers without an end', endless(`${BEGINNING}x-long: `), FAILS],
  ['sends a body without an end', endless('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), COUNTS],
  ['sends early hints and then no answer', endless('HTTP/1.1 103 Early Hints\r\n\r\n'), FAILS],
]

describe('a receiver that', () => {
  test.each(RECEIVERS)(
    '%s holds no connection, and no delivery after it',
    async (_, bad, outcome) => {
      answer = bad
      const through = outcome === COUNTS ? transport : hasty
      const posts = await Promise.all(Array.from({ length: POSTS }, () => post(through)))
      expect(posts.map(({ did }) => did)).toEqual(Array(POSTS).fill(outcome))
      await eventually(() => asked.size).toBe(0)
      answer = works
      await eventually(async () => (await post(through)).did).toBe('answer')
      await eventually(() => asked.size).toBe(0)
    },
  )

  test.each(RECEIVERS.filter(([what]) => /^(?:never|sends)/.test(what)))(
    '%s holds no connection after an abort',
    async (_, bad) => {
      const stop = new AbortController()
      const heard = new Promise<void>((resolve) => {
        answer = (socket) => {
          bad(socket)
          resolve()
        }
      })
      const posts = Array.from({ length: POSTS }, () => post(transport, stop.signal))
      await heard
      stop.abort()
      await Promise.all(posts)
      await eventually(() => asked.size).toBe(0)
    },
  )
})
