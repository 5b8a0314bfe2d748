import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PushedAnswer } from '../../../src/http/answers/pushed-answer.ts'

// An answer on a real connection, whose reader reads when the test says so.

const UNREAD_MS = 1_000
const LONGEST_MS = 60_000
const PIECE = Buffer.alloc(16_384, 'x')

let server: ReturnType<typeof createServer>
let client: Socket
let response: ServerResponse
let answer: PushedAnswer
let nowMs: number
/** Bytes that count as unread. */
let unread: number
let mayRead: boolean
beforeEach(async () => {
  mayRead = true
  nowMs = 0
  unread = 0
  server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.pause()
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse]
  response = raw
  response.on('error', () => {})
  await new Promise<void>((resolve) => {
    answer = new PushedAnswer(response, {
      clock: { monotonic: () => nowMs },
      limits: { unreadMs: UNREAD_MS, longestMs: LONGEST_MS },
      begin: async () => resolve(),
      mayRead: () => mayRead,
      onFailure: () => {},
      holdUnread: (bytes) => {
        unread += bytes
        return () => {
          unread = 0
        }
      },
    })
    answer.body.pipe(response)
  })
})
afterEach(async () => {
  client.destroy()
  server.close()
  await once(server, 'close')
})

/** Sends until as much is held as may be, beyond what the kernel takes. */
async function fill(): Promise<void> {
  while (answer.send([PIECE])) await new Promise((resolve) => setImmediate(resolve))
}

test('holds a bounded number of bytes for a reader, and says when it has taken them', async () => {
  await fill()
  expect(answer.isFree).toBe(false)
  expect(response.writableLength).toBeLessThan(2 * 65_536)
  client.resume()
  await answer.taken()
  expect([answer.isFree, answer.isIdle]).toEqual([true, true])
})

test('is ended for a reader that takes nothing, not for one that takes all', async () => {
  answer.send([PIECE])
  nowMs += UNREAD_MS
  answer.attend(nowMs)
  expect(response.destroyed).toBe(false)
  await fill()
  answer.attend(nowMs)
  nowMs += UNREAD_MS - 1
  answer.attend(nowMs)
  expect(response.destroyed).toBe(false)
  nowMs += 1
  answer.attend(nowMs)
  expect(response.destroyed).toBe(true)
  // Nobody waits for what will not be taken.
  await answer.taken()
})

test('has its pieces alone, without frames, and its end is that of the connection', async () => {
  const received: Buffer[] = []
  client.on('data', (bytes: Buffer) => received.push(bytes)).resume()
  answer.send([Buffer.from('one,'), Buffer.from('two')])
  answer.end()
  await once(client, 'end')
  const [head, body] = Buffer.concat(received).toString().split('\r\n\r\n')
  expect(head?.toLowerCase()).toContain('\r\nconnection: close')
  expect(head?.toLowerCase()).not.toContain('transfer-encoding')
  expect(body).toBe('one,two')
})

test('ends after its longest time, and once', async () => {
  client.resume()
  nowMs = LONGEST_MS
  answer.attend(nowMs)
  answer.attend(nowMs)
  await once(response, 'finish')
  expect(answer.send([PIECE])).toBe(true)
})

test('is cut, whatever is left for its reader, once that may read no more', async () => {
  await fill()
  mayRead = false
  answer.attend(nowMs)
  expect(response.destroyed).toBe(true)
})

test('counts what it holds as unread, until the reader has taken it', async () => {
  answer.send([PIECE])
  expect(unread).toBe(0)
  await fill()
  const held = response.writableLength
  expect(unread).toBe(held)
  answer.send([PIECE])
  expect(unread).toBe(held)
  client.resume()
  await answer.taken()
  expect(unread).toBe(0)
})

test('counts nothing as unread once its reader is gone', async () => {
  await fill()
  client.resetAndDestroy()
  await once(response, 'close')
  expect(unread).toBe(0)
})

test.each([
  [
    'its longest time',
    () => {
      nowMs = LONGEST_MS
      answer.attend(nowMs)
    },
  ],
  ['the end of its stream', () => answer.end()],
])('after %s does not wait for a reader that reads nothing', async (_, end) => {
  await fill()
  end()
  await once(response, 'close')
  expect(response.destroyed).toBe(true)
})
