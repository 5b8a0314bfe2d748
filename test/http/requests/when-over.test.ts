import { once, setMaxListeners } from 'node:events'
import { connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { requestSignal } from '../../../src/http/requests/request-signal.ts'
import { whenOver } from '../../../src/http/requests/when-over.ts'

/** Long, for a busy machine. */
const until = (holds: () => void | Promise<void>) => vi.waitFor(holds, 30_000)

/** The requests that were begun and, as often as it was said, those that are over. */
let begun: string[]
let over: string[]
let app: FastifyInstance
let port: number
const stop = new AbortController()
setMaxListeners(0, stop.signal)
const signals = new Map<string, AbortSignal>()

beforeEach(async () => {
  begun = []
  over = []
  signals.clear()
  app = Fastify()
  app.get('/:name/:how', async (request, reply) => {
    const { name, how } = request.params as Record<'name' | 'how', string>
    whenOver(reply, () => over.push(name))
    signals.set(name, requestSignal(reply, stop.signal))
    begun.push(name)
    if (how === 'answered') return name
    reply.hijack()
    if (how === 'begun') reply.raw.write(name)
    return reply
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = Number(new URL(app.listeningOrigin).port)
})
afterEach(async () => {
  app.server.closeAllConnections()
  await app.close()
})

/** Sends all of them in one packet. */
async function pipeline(...paths: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  await until(() => expect(begun).toHaveLength(paths.length))
  return socket
}

const ENDS: [string, (socket: Socket) => void][] = [
  ['FIN', (socket) => socket.end()],
  ['RST', (socket) => socket.resetAndDestroy()],
]

test.each(ENDS)('every request of a connection is over at its %s', async (_, end) => {
  const socket = await pipeline('/a/begun', '/b/open', '/c/answered', '/d/open')
  expect(over).toEqual([])
  end(socket)
  await until(() => expect([...over].sort()).toEqual(['a', 'b', 'c', 'd']))
  expect([...signals.values()].map(({ aborted }) => aborted)).toEqual([true, true, true, true])
})

test('an answered request is over once, and not again when its connection ends', async () => {
  const socket = await pipeline('/a/answered', '/b/answered', '/c/open')
  await until(() => expect(over).toEqual(['a', 'b']))
  expect(signals.get('c')?.aborted).toBe(false)
  socket.end()
  await until(() => expect(over).toEqual(['a', 'b', 'c']))
})

test('a request whose connection ended before is over at once', async () => {
  const late = new Promise<string[]>((resolve) => {
    app.server.prependOnceListener('request', (request, response) => {
      request.socket.once('close', () => {
        const reply = { raw: response, request: { raw: request } }
        const told: string[] = []
        whenOver(reply as never, () => told.push('over'))
        resolve(told)
      })
    })
  })
  const socket = await pipeline('/a/open')
  socket.resetAndDestroy()
  expect(await late).toEqual(['over'])
})

test('however many wait for an answer, they add one listener to each end of it', async () => {
  const listeners: number[] = []
  app.server.prependOnceListener('request', (request, response) => {
    const reply = { raw: response, request: { raw: request } }
    for (let n = 0; n < 100; n += 1) whenOver(reply as never, () => over.push(String(n)))
    for (const end of ['close', 'finish']) listeners.push(response.listenerCount(end))
  })
  await fetch(`http://127.0.0.1:${port}/a/answered`)
  expect(Math.max(...listeners)).toBeLessThan(10)
  await until(() => expect(over).toEqual([...Array(100).keys(), 'a'].map(String)))
})

test('however many requests a connection has, they add one listener to it', async () => {
  const sockets = new Set<Socket>()
  app.server.on('request', ({ socket }) => sockets.add(socket))
  const socket = await pipeline(...Array.from({ length: 100 }, (_, n) => `/${n}/open`))
  const [served] = sockets
  expect(served?.listenerCount('close')).toBeLessThan(10)
  socket.end()
  await until(() => expect(over).toHaveLength(100))
})
