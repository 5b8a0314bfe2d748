import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { listInscription } from '../support/market/trader.ts'

// What an index that lies, or an inscription that was made to harm, can have the gateway read and
// serve.

const MIB = 2 ** 20
const SVG = 'image/svg+xml'
const BROTLI_BOMB = brotliCompressSync(Buffer.alloc(64 * MIB), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
})
/** More than a gateway may have read before it hangs up: what sockets and pipes hold. */
const MAX_SENT = 16 * MIB

let server: Server
let market: Market
const answers = new Map<string, RequestListener>()
beforeAll(async () => {
  server = createServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? ''
    answers.get(id)?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const content = { ASSET_CONTENT_URL: `http://127.0.0.1:${port}` }
  // The console may be built anew meanwhile.
  market = await openMarket({ ...ORDERS_ONLY, CONSOLE: 'false', ...content })
})
afterAll(async () => {
  await market?.end()
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve) ?? resolve(null))
})

/** What the gateway answers of an inscription whose content the index answers so. */
async function shown(answer: RequestListener): Promise<Response> {
  const { inscriptionId } = await listInscription(market)
  answers.set(inscriptionId, answer)
  return fetch(`${market.address}/api/market/inscriptions/${inscriptionId}/content`)
}

const plain =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type, ...headers }).end(body)

const refusalOf = async (answer: Response) => {
  const { code, message } = (await answer.json()) as { code: string; message: string }
  return { status: answer.status, code, message }
}

/** Sends for ever; resolves with the bytes that it could send before the client hung up. */
function endless(type: string, headers: Record<string, string> = {}) {
  let ended: (sent: number) => void = () => undefined
  const sent = new Promise<number>((resolve) => {
    ended = resolve
  })
  const answer: RequestListener = (_request, response: ServerResponse) => {
    let bytes = 0
    const chunk = Buffer.alloc(65_536, 'a')
    response.writeHead(200, { 'content-type': type, ...headers })
    const send = () => {
      while (!response.destroyed) {
        bytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', send)
      }
    }
    response.on('close', () => ended(bytes))
    send()
  }
  return { answer, sent }
}

describe('is refused, and not served:', () => {
  test.each([
    ['HTML', plain('text/html', '<script>parent.ran=1</script>'), 'this type is not shown here'],
    [
      'HTML called text of another type',
      plain('text/xml', '<html/>'),
      'this type is not shown here',
    ],
    ['two types', plain('image/png, text/html', '<html>'), 'this type is not shown here'],
    ['a type that is markup', plain('<b>/<i>', 'x'), 'content of no known type: '],
    ['HTML called an image', plain('image/png', '<html>'), 'not of this type'],
    ['HTML called SVG', plain(SVG, '<html><svg></svg></html>'), 'not of this type'],
    [
      'an image called text',
      plain('text/plain', Buffer.from('ffd8ffe0', 'hex')),
      'not of this type',
    ],
    [
      'entities that multiply',
      plain(SVG, '<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>'),
      'not of this type',
    ],
    ['text of 2 MiB', plain('text/plain', 'a'.repeat(2 * MIB)), 'larger than is shown'],
    ['an image of 5 MiB', plain('image/png', Buffer.alloc(5 * MIB)), 'larger than is shown'],
    [
      'a bomb of brotli',
      plain('text/plain', BROTLI_BOMB, {
        'content-encoding': 'br',
      }),
      'larger than is shown',
    ],
    [
      'a bomb of gzip',
      plain('image/png', gzipSync(Buffer.alloc(64 * MIB)), { 'content-encoding': 'gzip' }),
      'larger than is shown',
    ],
    [
      'a coding on a coding',
      plain('text/plain', gzipSync('x'), { 'content-encoding': 'gzip, br' }),
      'coding cannot be taken off',
    ],
    ['a coding that it has not', plain('text/plain', 'x', { 'content-encoding': 'br' }), 'coding'],
  ])('%s', async (_, answer, why) => {
    const refusal = await refusalOf(await shown(answer))
    expect(refusal).toMatchObject({ status: 404, code: 'CONTENT_NOT_SHOWN' })
    expect(refusal.message).toContain(why)
  })
})

describe('an endless body is left', () => {
  test.each([
    ['of a type that is not shown', endless('text/html')],
    ['of a type that is shown', endless('text/plain')],
    ['that claims to be short', endless('image/png', { 'content-length': '9007199254740991' })],
  ])('%s', async (_, { answer, sent }) => {
    expect(await refusalOf(await shown(answer))).toMatchObject({ code: 'CONTENT_NOT_SHOWN' })
    expect(await sent).toBeLessThan(MAX_SENT)
  })
})

describe('as an index that is away', () => {
  test.each<[string, RequestListener]>([
    ['a redirect', (_, response) => void response.writeHead(302, { location: '/x' }).end()],
    ['a login', (_, response) => void response.writeHead(401).end()],
    ['a cut connection', (request) => void request.socket.destroy()],
    [
      'a length that is never reached',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '9' })
        response.write('abc', () => response.destroy())
      },
    ],
    [
      'a drip that never ends',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        const drip = setInterval(() => response.write('a'), 100)
        response.on('close', () => clearInterval(drip))
      },
    ],
  ])('%s', async (_, answer) => {
    expect(await refusalOf(await shown(answer))).toMatchObject({
      status: 503,
      code: 'ASSET_INDEX_UNAVAILABLE',
    })
  })
})

test('an SVG with scripts, foreign objects and references is sent with a policy that stops all of it', async () => {
  const body =
    '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.ran=1"><script>parent.ran=1</script>' +
    '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="/"/></foreignObject>' +
    '<image href="http://127.0.0.1:1/x"/><use href="#a"/><g id="a"><use href="#a"/></g></svg>'
  const answer = await shown(plain(SVG, body, { 'set-cookie': 'a=b', refresh: '0;url=/' }))
  expect([answer.status, await answer.text()]).toEqual([200, body])
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining(["default-src 'none'", 'sandbox', 'img-src data:']),
  )
  expect([answer.headers.get('set-cookie'), answer.headers.get('refresh')]).toEqual([null, null])
})

test('what an index is asked names neither the client nor a login', async () => {
  let asked: object = {}
  const answer = await shown((request, response) => {
    asked = request.headers
    plain('text/plain', 'x')(request, response)
  })
  expect(answer.status).toBe(200)
  expect(Object.keys(asked).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host'])
})

test('the service answers as before', async () => {
  const { order } = await listInscription(market)
  expect((await market.get(`orders/${order.id}`)).status).toBe(200)
})
