import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type HttpWebhooks,
  openHttpWebhooks,
} from '../../../src/adapters/webhooks/http-transport.ts'
import { systemClock as clock } from '../../support/system-clock.ts'
import { eventually } from '../../support/webhooks/eventually.ts'

/** Enough for an answer, however busy the machine is. */
const PATIENT = { connect: 30_000, headers: 30_000, whole: 30_000, body: 200, bodyBytes: 1_024 }
/** For answers that never come. */
const HASTY = { ...PATIENT, headers: 300, whole: 500 }
const NEVER = new AbortController().signal

let listener: RequestListener
let server: ReturnType<typeof createServer>
let transport: HttpWebhooks
let hasty: HttpWebhooks
let base: string
let received: { method?: string; url?: string; body: string; headers: Record<string, unknown> }[]

beforeEach(async () => {
  received = []
  listener = (_request, response) => response.writeHead(204).end()
  server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      received.push({ method, url, body, headers })
      listener(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  transport = openHttpWebhooks({ clock, loopback: true, limits: PATIENT })
  hasty = openHttpWebhooks({ clock, loopback: true, limits: HASTY })
})
afterEach(async () => {
  await transport.close()
  await hasty.close()
  server.closeAllConnections()
  server.close()
})

const post = (url = `${base}/hook?a=b`, body = '{}', through = transport) =>
  through.post({ webhook: 'shop', url, headers: { 'webhook-id': 'x' }, body }, NEVER)

test('posts the body with its headers, and returns the status and Retry-After', async () => {
  expect(await post(undefined, '{"a":"é"}')).toEqual({
    did: 'answer',
    status: 204,
    retryAfter: null,
  })
  expect(received).toMatchObject([
    { method: 'POST', url: '/hook?a=b', body: '{"a":"é"}', headers: { 'webhook-id': 'x' } },
  ])
  listener = (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end('no')
  expect(await post()).toEqual({ did: 'answer', status: 429, retryAfter: '7' })
})

test.each([301, 302, 303, 307, 308])('follows no redirect: %i', async (status) => {
  listener = (_request, response) =>
    response.writeHead(status, { location: 'http://169.254.169.254/' }).end()
  expect(await post()).toMatchObject({ did: 'answer', status })
  expect(received).toHaveLength(1)
})

describe('an answer', () => {
  test('that never begins ends the request', async () => {
    listener = () => {}
    expect(await post(base, '', hasty)).toEqual({ did: 'fail', trouble: 'timeout' })
  })

  test('is read up to its bound, however long it is', async () => {
    let sent = 0
    let closed: Promise<unknown> = Promise.resolve()
    listener = (_request, response) => {
      closed = once(response, 'close')
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && sent < 2 ** 28) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
        }
      }
      more()
    }
    expect(await post()).toMatchObject({ did: 'answer', status: 200 })
    await closed
    expect(sent).toBeLessThan(2 ** 26)
  })

  test('whose body arrives byte by byte counts, and its connection is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    listener = (_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 20)
      closed = once(response, 'close').then(() => clearInterval(timer))
    }
    expect(await post()).toMatchObject({ did: 'answer', status: 200 })
    await closed
  })

  test('whose headers arrive byte by byte does not count', async () => {
    const sockets: Socket[] = []
    const slow = createTcpServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    slow.listen(0, '127.0.0.1')
    await once(slow, 'listening')
    const { port } = slow.address() as AddressInfo
    expect(await post(`http://127.0.0.1:${port}/`, '', hasty)).toEqual({
      did: 'fail',
      trouble: 'timeout',
    })
    await eventually(() => sockets.every(({ closed }) => closed)).toBe(true)
    slow.close()
  })

  test('that ends in the middle does not count', async () => {
    listener = (_request, response) => {
      response.socket?.destroy()
    }
    expect(await post()).toEqual({ did: 'fail', trouble: 'unreachable' })
  })
})

test('a request whose body is not read is aborted', async () => {
  const deaf = createTcpServer((socket) => socket.on('error', () => {}).pause())
  deaf.listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  const { port } = deaf.address() as AddressInfo
  const answer = await post(`http://127.0.0.1:${port}/`, 'x'.repeat(2 ** 24), hasty)
  expect(answer).toEqual({ did: 'fail', trouble: 'timeout' })
  deaf.close()
})

test('a missing endpoint is unreachable', async () => {
  const port = Number(new URL(base).port)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ did: 'fail', trouble: 'unreachable' })
})

test('an endpoint with an untrusted certificate gets nothing', async () => {
  expect((await post(base.replace('http:', 'https:'))).did).toBe('fail')
  expect(received).toEqual([])
})

describe('the address of a name', () => {
  type Resolve = NonNullable<Parameters<typeof openHttpWebhooks>[0]['resolve']>
  const leadsTo = (...answers: string[][]) => {
    let asked = 0
    const resolve = ((_name: string, _options: unknown, callback: (...all: unknown[]) => void) => {
      const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
      asked += 1
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }) as unknown as Resolve
    return resolve
  }
  const through = async (loopback: boolean, resolve: Resolve, times = 1) => {
    const own = openHttpWebhooks({ clock, loopback, limits: PATIENT, resolve })
    const url = `http://hooks.example:${new URL(base).port}/`
    const answers = []
    for (let n = 0; n < times; n += 1) {
      answers.push(await own.post({ webhook: 'shop', url, headers: {}, body: '' }, NEVER))
    }
    await own.close()
    return answers
  }

  test.each([
    ['this machine', ['127.0.0.1']],
    ['a private network', ['10.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['IPv4-mapped IPv6', ['::ffff:127.0.0.1']],
    ['a public address and a private one', ['93.184.216.34', '192.168.0.1']],
  ])('is checked before a connection: %s', async (_what, addresses) => {
    const resolve = leadsTo(addresses)
    expect(await through(false, resolve)).toEqual([{ did: 'fail', trouble: 'address_not_allowed' }])
    expect(received).toEqual([])
  })

  test('is checked for every connection: a name that resolves elsewhere later gets nothing', async () => {
    listener = (_request, response) => response.writeHead(204, { connection: 'close' }).end()
    const resolve = leadsTo(['127.0.0.1'], ['10.0.0.1'])
    expect(await through(true, resolve, 2)).toMatchObject([
      { did: 'answer' },
      { did: 'fail', trouble: 'address_not_allowed' },
    ])
    expect(received).toHaveLength(1)
  })

  test('is not used for an address in the URL: that is checked itself', async () => {
    const own = openHttpWebhooks({ clock, loopback: false, limits: PATIENT })
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      const url = `http://${host}:${new URL(base).port}/`
      expect(await own.post({ webhook: 'shop', url, headers: {}, body: '' }, NEVER)).toEqual({
        did: 'fail',
        trouble: 'address_not_allowed',
      })
    }
    await own.close()
    expect(received).toEqual([])
  })
})

test('ends on abort', async () => {
  listener = () => {}
  const stop = new AbortController()
  const answer = transport.post({ webhook: 'shop', url: base, headers: {}, body: '' }, stop.signal)
  await eventually(() => received.length).toBe(1)
  stop.abort()
  expect((await answer).did).toBe('fail')
})

test('a webhook whose deliveries hang delays no other at the same host', async () => {
  listener = ({ url }, response) => {
    if (url === '/works') response.writeHead(204).end()
  }
  const stop = new AbortController()
  const to = (webhook: string) => ({ webhook, url: `${base}/${webhook}`, headers: {}, body: '' })
  const hanging = Array.from({ length: 8 }, () => transport.post(to('hangs'), stop.signal))
  await eventually(() => received.length).toBe(4)
  expect(await transport.post(to('works'), NEVER)).toMatchObject({ did: 'answer', status: 204 })
  stop.abort()
  await Promise.all(hanging)
})
