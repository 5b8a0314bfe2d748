import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type HttpPeer, openHttpPeer } from '../../src/adapters/http-peer.ts'
import type { PeerTrouble } from '../../src/ports/folds/peer-agreement.ts'

// Pairing spec 7 rule 9 and 8: which answers of pipeline B are accepted.

const TIMEOUT_MS = 300
let listener: RequestListener
let server: ReturnType<typeof createServer>
let peer: HttpPeer
const paths: (string | undefined)[] = []
let base: string

beforeEach(async () => {
  paths.length = 0
  server = createServer((request, response) => {
    paths.push(request.url)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  peer = openHttpPeer({ url: base, timeoutMs: TIMEOUT_MS })
})
afterEach(async () => {
  await peer.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const fails = async (trouble: PeerTrouble) => {
  const begun = Date.now()
  expect(await peer.fetch(7)).toMatchObject({ did: 'fail', trouble })
  expect(Date.now() - begun).toBeLessThan(TIMEOUT_MS * 10)
}

test('asks for the agreement of the height, uncompressed, below the base URL', async () => {
  let accepted: unknown
  listener = (request, response) => {
    accepted = request.headers['accept-encoding']
    response.end('{}')
  }
  expect(await peer.fetch(7)).toEqual({ did: 'answer', body: new Uint8Array(Buffer.from('{}')) })
  const below = openHttpPeer({ url: `${base}/some/where/`, timeoutMs: TIMEOUT_MS })
  await below.fetch(0)
  await below.close()
  expect(paths).toEqual(['/pairing/agreement/7', '/some/where/pairing/agreement/0'])
  expect(accepted).toBe('identity')
})

describe('fails [pairing 7 rule 9]', () => {
  test.each([300, 301, 302, 307, 400, 404, 500, 503])(
    'with status %i, redirects not followed',
    async (status) => {
      listener = (_request, response) =>
        response.writeHead(status, { location: '/elsewhere' }).end('{}')
      await fails('peer_status')
      expect(paths).toEqual(['/pairing/agreement/7'])
    },
  )

  test.each([200, 204])('with an empty body of a %i', async (status) => {
    listener = (_request, response) => response.writeHead(status).end()
    await fails('peer_empty')
  })

  test('without an answer in time', async () => {
    listener = () => {}
    await fails('peer_timeout')
  })

  test('with an answer that drips past the time-out', async () => {
    listener = (_request, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    }
    await fails('peer_timeout')
  })

  test('where nothing listens, and where the connection is cut', async () => {
    listener = (request) => request.socket.destroy()
    await fails('peer_unreachable')
    const closed = openHttpPeer({ url: 'http://127.0.0.1:1', timeoutMs: TIMEOUT_MS })
    expect(await closed.fetch(1)).toMatchObject({ did: 'fail', trouble: 'peer_unreachable' })
    await closed.close()
  })

  test('with an enormous error', async () => {
    listener = (_request, response) => response.writeHead(500).end(Buffer.alloc(1_000_000))
    await fails('peer_status')
  })
})

describe('65,536 bytes [pairing 8 pipeline B response body]', () => {
  test.each(['with', 'without'])(
    'are accepted, and one more is not, %s a content length',
    async (kind) => {
      const send = (bytes: number) => {
        listener = (_request, response) => {
          if (kind === 'with') response.setHeader('content-length', bytes)
          response.write(Buffer.alloc(bytes - 1, ' '))
          response.end(' ')
        }
      }
      send(65_536)
      const answer = await peer.fetch(1)
      expect(answer.did === 'answer' && answer.body.length).toBe(65_536)
      send(65_537)
      await fails('peer_too_large')
    },
  )

  test('are enough to stop reading an endless body', async () => {
    let sent = 0
    listener = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
      }
      response.on('drain', more)
      more()
    }
    await fails('peer_too_large')
    expect(sent).toBeLessThan(20_000_000)
  })
})

test('what is compressed all the same is taken as it is: not JSON', async () => {
  const bytes = gzipSync('{}')
  listener = (_request, response) => response.setHeader('content-encoding', 'gzip').end(bytes)
  expect(await peer.fetch(1)).toEqual({ did: 'answer', body: new Uint8Array(bytes) })
})

test('a connection that was closed while idle is opened again', async () => {
  listener = (_request, response) => response.end('{}')
  await peer.fetch(1)
  server.closeIdleConnections()
  expect(await peer.fetch(2)).toMatchObject({ did: 'answer' })
})
