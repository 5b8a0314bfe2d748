import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestApp } from '../support/http/http.ts'
import { openStream, type StreamClient } from '../support/http/stream-client.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

/** Long, for a busy machine. */
const until = (holds: () => void | Promise<void>) => vi.waitFor(holds, 30_000)

const STREAM = '/api/market/activity/stream?limit=1'
const SNAPSHOT = '/circles/snapshot'
const PER_CLIENT = 8

let it: TestApp
let base: string
let sockets: Socket[]

beforeEach(async () => {
  sockets = []
  it = await openWholeApp()
  base = `http://127.0.0.1:${await it.listen()}`
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await it.close()
})

interface Connection {
  socket: Socket
  /** What was received. */
  text: () => string
}

const requestsFor = (paths: readonly string[]): string =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join('')

/** Sends all of them in one packet, and reads until the first one's answer begins. */
async function pipeline(...paths: string[]): Promise<Connection> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.write(requestsFor(paths))
  await once(socket, 'data')
  return { socket, text: () => text }
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    it.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
const ENDS: [string, (socket: Socket) => void][] = [
  ['FIN', (socket) => socket.end()],
  ['RST', (socket) => socket.resetAndDestroy()],
]

describe.each(ENDS)('after the %s of a connection with pipelined requests', (_, end) => {
  test('nothing is held of snapshots behind a stream', async () => {
    for (let n = 0; n < 3; n += 1) {
      end((await pipeline(STREAM, ...Array<string>(4).fill(SNAPSHOT))).socket)
      await until(async () => expect(await connections()).toBe(0))
    }
    const answer = await fetch(`${base}${SNAPSHOT}`, { headers: { connection: 'close' } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toHaveProperty('revision')
  })

  test('nothing is held of streams behind a stream', async () => {
    for (let n = 0; n < 3; n += 1) {
      end((await pipeline(...Array<string>(PER_CLIENT).fill(STREAM))).socket)
      await until(async () => expect(await connections()).toBe(0))
    }
    const streams: StreamClient[] = []
    for (let n = 0; n < PER_CLIENT; n += 1) streams.push(await openStream(`${base}${STREAM}`))
    expect(streams.map(({ status }) => status)).toEqual(Array(PER_CLIENT).fill(200))
    for (const stream of streams) stream.kill()
  })
})

describe('requests that are sent before earlier ones are answered', () => {
  test('begin when the answers before theirs have been sent', async () => {
    const order = await it.seed()
    const { text } = await pipeline(
      `/api/market/orders/${order.id}`,
      SNAPSHOT,
      '/nowhere',
      '/api/market/orders?limit=1',
    )
    await until(() => expect(text()).toContain('"nextCursor"'))
    expect(text()).toMatch(/"revision".*HTTP\/1\.1 404 .*HTTP\/1\.1 200 /s)
  })

  test('are at most 16: one more ends the connection, and each leaves a line and a count', async () => {
    const { socket } = await pipeline(STREAM)
    const ended = once(socket, 'close')
    socket.write(requestsFor(Array(17).fill('/api/market/orders')))
    await ended
    const unanswered = () =>
      it.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'unanswered')
    await until(() => expect(unanswered()).toHaveLength(18))
    const lines = unanswered()
    expect(lines.filter(({ route }) => route === '/api/market/orders')).toHaveLength(17)
    expect(lines.map(({ statusCode }) => statusCode).sort()).toEqual([
      200,
      503,
      ...Array(16).fill(null),
    ])
    for (const line of lines) expect(line).toMatchObject({ method: 'GET', ip: '127.0.0.1' })
    const text = await it.registry.metrics()
    const counted = (labels: string, n: number) =>
      expect(text).toContain(`market_http_unanswered_total{${labels}} ${n}`)
    counted('route="/api/market/orders",method="GET",status="none"', 16)
    counted('route="/api/market/orders",method="GET",status="503"', 1)
    counted('route="/api/market/activity/stream",method="GET",status="200"', 1)
  })
})
