import { connect } from 'node:net'
import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  answerInMessages,
  isBelow,
  readableTarget,
} from '../../../src/http/answers/message-errors.ts'
import { InvalidQuestionError } from '../../../src/ports/folds/question-errors.ts'

const logged: string[] = []
let app: FastifyInstance
let port: number

/** An app with other answers, which refuses whatever is sent to it, around a scope of messages. */
beforeAll(async () => {
  app = Fastify({
    logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } },
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: readableTarget(isBelow('/p', '/alone')),
  })
  app.setErrorHandler(async (_error, _request, reply) => reply.code(418).send('not a message'))
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['content-encoding']) throw new Error('refused by the app')
  })
  app.get('/other', async () => {
    throw new Error('not ours')
  })
  app.register(
    async (scope) => {
      answerInMessages(scope)
      scope.get<{ Params: { one: string } }>('/things/:one', async ({ params }) => {
        if (params.one === 'defect') throw new Error('the secret of the defect')
        if (params.one !== 'good') throw new InvalidQuestionError(`not ${params.one}`)
        return { good: true }
      })
    },
    { prefix: '/p' },
  )
  app.register(
    async (scope) => {
      answerInMessages(scope)
      scope.get('/', async () => 'alone')
    },
    { prefix: '/alone' },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = Number(new URL(app.listeningOrigin).port)
})
afterAll(() => app.close())

/** The raw bytes of a request target that no client would send. */
const raw = (method: string, target: string, headers = '', body = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n${body}`,
      ),
    )
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
const parts = (answer: string) => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body }
}

describe('body shape 1', () => {
  test('has message, error and statusCode, in this order', async () => {
    const { status, head, body } = parts(await raw('GET', '/p/things/bad'))
    expect([status, body]).toEqual([
      400,
      '{"message":"not bad","error":"Bad Request","statusCode":400}',
    ])
    expect(head).toContain('application/json; charset=utf-8')
  })

  test.each([
    ['GET', '/p'],
    ['GET', '/p/'],
    ['GET', '/p/things'],
    ['GET', '/p/things/good/more'],
    ['GET', '/p//things/good'],
    ['POST', '/p/things/good'],
    ['PUT', '/p/things/good'],
    ['DELETE', '/p/nothing'],
    ['OPTIONS', '/p/things/good'],
    ['PATCH', '/p/%zz'],
    ['TRACE', '/p/things/good'],
    ['PROPFIND', '/p/things/good'],
    ['GET', '/p/%41%FF'],
    ['GET', '/alone/more'],
    ['POST', '/alone'],
  ])('answers %s %s as not found, with the path as sent', async (method, path) => {
    for (const query of ['', '?', '?a=/b?c', '?%zz']) {
      const { status, body } = parts(await raw(method, path + query))
      const message = `Cannot ${method} ${path}`
      expect([status, body]).toEqual([
        404,
        JSON.stringify({ message, error: 'Not Found', statusCode: 404 }),
      ])
    }
  })

  test('names the path of a target in absolute form', async () => {
    const { body } = parts(await raw('GET', 'http://x.example/p/nothing?a'))
    expect(body).toContain('"Cannot GET /p/nothing"')
  })

  test.each([
    ['a body that is not JSON', 'content-type: application/json\r\ncontent-length: 1\r\n', '{'],
    ['an unsupported media type', 'content-type: a/b\r\ncontent-length: 1\r\n', '{'],
    ['what the app around it refuses', 'content-encoding: gzip\r\ncontent-length: 0\r\n', ''],
  ])('is 404 for a POST with %s', async (_what, headers, body) => {
    const answer = parts(await raw('POST', '/p/things/good', headers, body))
    expect(answer.status).toBe(404)
    expect(answer.body).toContain('Cannot POST /p/things/good')
  })

  test('is not for HEAD, which has no body', async () => {
    expect(parts(await raw('HEAD', '/p/things/good'))).toMatchObject({ status: 200, body: '' })
    expect(parts(await raw('HEAD', '/p/things/bad'))).toMatchObject({ status: 400, body: '' })
    expect(parts(await raw('HEAD', '/p/nothing'))).toMatchObject({ status: 404, body: '' })
  })
})

describe('body shape 2', () => {
  test('has statusCode and message, and nothing of the defect, which is logged', async () => {
    const { status, body } = parts(await raw('GET', '/p/things/defect'))
    expect([status, body]).toEqual([500, '{"statusCode":500,"message":"Internal server error"}'])
    expect(logged.join()).toContain('the secret of the defect')
  })
})

describe('a path that is not percent-encoded UTF-8', () => {
  test.each([
    ['%', '%'],
    ['%zz', '%zz'],
    ['%F', '%F'],
    ['%ff', '%ff'],
    ['%C3%28', '%C3%28'],
    ['%ED%A0%80', '%ED%A0%80'],
    ['%25', '%'],
    ['%2F', '/'],
    ['%00', '\0'],
    ['%C3%A9', 'é'],
  ])('reaches its route: %s is %j', async (sent, read) => {
    const { status, body } = parts(await raw('GET', `/p/things/${sent}`))
    expect([status, JSON.parse(body).message]).toEqual([400, `not ${read}`])
  })

  test('reaches its route also where the path of the scope is percent-encoded', async () => {
    for (const path of ['/%70/things/%zz', '/p/%74hings/%zz', 'http://x/%70/things/%zz']) {
      const { status, body } = parts(await raw('GET', path))
      expect([status, JSON.parse(body).message], path).toEqual([400, 'not %zz'])
    }
  })

  test('is left to the app where the scope does not reach', async () => {
    expect(parts(await raw('GET', '/other/%zz')).body).not.toContain('Cannot GET')
    expect(parts(await raw('GET', '/other')).status).toBe(418)
  })

  test('is made readable whatever it is, and what was readable is unchanged', () => {
    const readable = readableTarget(() => true)
    const piece = fc.constantFrom('%', '%zz', '%41', '%ff', '%C3', '%A9', 'a', '/', '?', 'é')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const url = `/${pieces.join('')}`
        const made = readable({ url })
        const [path = ''] = made.split('?')
        expect(() => decodeURIComponent(path)).not.toThrow()
        expect(readable({ url: made })).toBe(made)
        expect(made.slice(path.length)).toBe(url.includes('?') ? url.slice(url.indexOf('?')) : '')
      }),
    )
  })

  test('is changed in the segments that cannot be decoded, and in no other', () => {
    const readable = readableTarget(() => true)
    const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0x7f, max: 0xf5 }))
    const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => bytesOf(code))
    const escapes = fc
      .array(
        fc.oneof(
          byte.map((one) => [one]),
          character,
        ),
      )
      .map((parts) => parts.flat())
      .map((bytes) => bytes.map((one) => `%${one.toString(16).padStart(2, '0')}`).join(''))
    const upper = escapes.map((text) => text.toUpperCase())
    fc.assert(
      fc.property(
        fc.array(fc.oneof(escapes, upper, fc.constantFrom('a', '%', 'é'))),
        (segments) => {
          const expected = segments.map((one) =>
            isDecoded(one) ? one : one.replaceAll('%', '%25'),
          )
          expect(readable({ url: `/${segments.join('/')}` })).toBe(`/${expected.join('/')}`)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('of thousands of segments is decoded no more often than a short one', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent')
    const readable = readableTarget(isBelow('/p'))
    const path = '/%'.repeat(8_000)
    expect(readable({ url: path })).toBe(path)
    expect(readable({ url: `/p${path}` })).toBe(`/p${'/%25'.repeat(8_000)}`)
    expect(decode.mock.calls.length).toBeLessThan(4)
    vi.restoreAllMocks()
  })
})

/** The UTF-8 form of a code point; of a surrogate, the one that UTF-8 does not have. */
function bytesOf(code: number): number[] {
  const last = (shift: number) => 0x80 | ((code >> shift) & 0x3f)
  if (code < 0x80) return [code]
  if (code < 0x800) return [0xc0 | (code >> 6), last(0)]
  if (code < 0x10000) return [0xe0 | (code >> 12), last(6), last(0)]
  return [0xf0 | (code >> 18), last(12), last(6), last(0)]
}

function isDecoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

test('a parameter of 16,000 characters reaches its route', async () => {
  const { status } = parts(await raw('GET', `/p/things/${'a'.repeat(15_000)}`))
  expect(status).toBe(400)
})
