import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestApp } from '../support/http/http.ts'
import { openStream, type StreamClient } from '../support/http/stream-client.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

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

/** Sends all of them in one packet, and reads until the first one's answer begins. */
async function pipeline(...paths: string[]): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  await once(socket, 'data')
  return socket
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
      end(await pipeline(STREAM, ...Array<string>(4).fill(SNAPSHOT)))
      await vi.waitFor(async () => expect(await connections()).toBe(0))
    }
    const answer = await fetch(`${base}${SNAPSHOT}`, { headers: { connection: 'close' } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toHaveProperty('revision')
  })

  test('nothing is held of streams behind a stream', async () => {
    for (let n = 0; n < 3; n += 1) {
      end(await pipeline(...Array<string>(PER_CLIENT).fill(STREAM)))
      await vi.waitFor(async () => expect(await connections()).toBe(0))
    }
    const streams: StreamClient[] = []
    for (let n = 0; n < PER_CLIENT; n += 1) streams.push(await openStream(`${base}${STREAM}`))
    expect(streams.map(({ status }) => status)).toEqual(Array(PER_CLIENT).fill(200))
    for (const stream of streams) stream.kill()
  })
})
