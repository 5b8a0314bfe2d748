import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CircleIndex } from '../../../src/circles/circle-index.ts'
import { createServer, DEFAULT_HTTP_SETTINGS } from '../../../src/http/app.ts'
import { circleRoutes } from '../../../src/http/circles/routes.ts'
import { setHeaders } from '../../../src/http/plugins/headers.ts'
import type { CircleViews } from '../../../src/ports/folds/circle-views.ts'
import { type CircleSnapshot, circleSnapshotSchema } from '../../../src/schemas/api/circles.ts'
import { sha256 } from '../../oracle/canonical.ts'
import { CircleChain } from '../../support/folds/circle-chain.ts'
import {
  bytesOf,
  follow,
  openIndex,
  oracleBytes,
  oracleStates,
} from '../../support/folds/circle-runs.ts'
import { MemoryCircleStore } from '../../support/folds/memory-circle-store.ts'
import { TEST_CURSORS } from '../../support/http/test-cursors.ts'

let app: FastifyInstance
let chain: CircleChain
let index: CircleIndex

const serve = (circles: CircleViews): FastifyInstance => {
  const made = createServer({ logger: pino({ level: 'silent' }), settings: DEFAULT_HTTP_SETTINGS })
  setHeaders(made)
  circleRoutes(made, { circles, cursors: TEST_CURSORS })
  return made
}

beforeEach(async () => {
  chain = new CircleChain(21)
  for (let left = 10; left > 0; left--) chain.mine()
  index = await openIndex(new MemoryCircleStore(), chain)
  await follow(index, chain, () => 3)
  app = serve(index)
})
afterEach(() => app.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers })
const snapshotNow = (): CircleSnapshot => JSON.parse(bytesOf(index))
const refusal = (statusCode: 400 | 404, message: string) => ({
  message,
  error: statusCode === 400 ? 'Bad Request' : 'Not Found',
  statusCode,
})

describe('GET /circles/snapshot', () => {
  test('is the canonical bytes: their SHA-256 is the ETag and the Content-Digest', async () => {
    const { statusCode, headers, rawPayload } = await get('/circles/snapshot')
    expect(statusCode).toBe(200)
    expect(rawPayload.toString()).toBe(oracleBytes(chain))
    const digest = sha256(rawPayload)
    expect(headers).toMatchObject({
      etag: `"${digest.toString('hex')}"`,
      'content-digest': `sha-256=:${digest.toString('base64')}:`,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(rawPayload.length),
      'cache-control': 'no-cache',
      'x-circles-height': String(chain.tip?.height),
      'x-circles-block': chain.tip?.hash,
    })
  })

  test.each([
    ['its own ETag', (etag: string) => etag, 304],
    ['a weak form of it in a list', (etag: string) => `"other", W/${etag}`, 304],
    ['anything', () => '*', 304],
    ['another one', () => '"other"', 200],
  ])('with If-None-Match of %s', async (_, ifNoneMatch, expected) => {
    const { etag } = (await get('/circles/snapshot')).headers
    const answer = await get('/circles/snapshot', { 'if-none-match': ifNoneMatch(String(etag)) })
    expect(answer.statusCode).toBe(expected)
    expect(answer.headers.etag).toBe(etag)
    expect(answer.headers['x-circles-block']).toBe(chain.tip?.hash)
    if (expected === 304) expect(answer.rawPayload).toHaveLength(0)
  })

  test('two are sent to a client at once; a third is disconnected until one has ended', async () => {
    const hanging = new Promise<never>(() => undefined)
    const pieces = async function* () {
      yield Buffer.from('{')
      await hanging
    }
    let asked = 0
    await app.close()
    app = serve({
      state: () => index.state(),
      snapshot: () => {
        asked += 1
        const { state } = index.snapshot()
        return { state, pieces: pieces() as never, length: 100 }
      },
    } as unknown as CircleViews)
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const ask = () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write('GET /circles/snapshot HTTP/1.1\r\nhost: x\r\n\r\n')
      return socket
    }
    const two = [ask(), ask()]
    for (const socket of two) await once(socket, 'data')
    const third = ask()
    third.on('data', () => expect.unreachable('it was answered'))
    await once(third, 'close')
    expect(asked).toBe(2)
    const etag = `"${index.state().stateHash}"`
    const known = await fetch(`http://127.0.0.1:${port}/circles/snapshot`, {
      headers: { 'if-none-match': etag },
    })
    expect([known.status, await known.text()]).toEqual([304, ''])
    asked = 2
    const [first] = two
    first?.destroy()
    // Its end is noticed a turn later: requests meanwhile are refused as well.
    for (let sent = false; !sent; ) {
      const next = ask()
      sent = await new Promise<boolean>((resolve) => {
        next.once('data', () => resolve(true))
        next.once('close', () => resolve(false))
      })
      two.push(next)
    }
    expect(asked).toBe(3)
    for (const socket of two) socket.destroy()
  })

  test('HEAD has the headers of GET and no body', async () => {
    const asked = await app.inject({ method: 'HEAD', url: '/circles/snapshot' })
    const answered = await get('/circles/snapshot')
    expect(asked.statusCode).toBe(200)
    expect(asked.rawPayload).toHaveLength(0)
    for (const name of ['etag', 'content-digest', 'content-length', 'x-circles-height']) {
      expect(asked.headers[name]).toBe(answered.headers[name])
    }
  })

  test('before the first block it names none', async () => {
    await app.close()
    app = serve(await openIndex(new MemoryCircleStore(), chain))
    const { headers, statusCode, rawPayload } = await get('/circles/snapshot')
    expect(statusCode).toBe(200)
    expect(headers.etag).toBe(`"${sha256(rawPayload).toString('hex')}"`)
    expect(headers).not.toHaveProperty('x-circles-height')
    expect(headers).not.toHaveProperty('x-circles-block')
  })

  test('is of one moment, even when blocks come while a slow client reads it', async () => {
    const big = Array.from({ length: 600 }, (_, n) => Buffer.alloc(32_768, n % 251))
    let pieces: readonly Uint8Array[] = big
    await app.close()
    const state = { ...index.state(), stateHash: sha256(...big).toString('hex') }
    const views: Partial<CircleViews> = {
      state: () => state,
      snapshot: () => ({ state, pieces, length: big.length * 32_768 }),
    }
    app = serve(views as CircleViews)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET /circles/snapshot HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await once(socket, 'readable')
    pieces = []
    const received: Buffer[] = []
    for await (const chunk of socket) received.push(chunk as Buffer)
    const answer = Buffer.concat(received)
    const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4)
    expect(body).toHaveLength(big.length * 32_768)
    expect(sha256(body).toString('hex')).toBe(state.stateHash)
  })
})

test('GET /circles/state is the state at the tip', async () => {
  const answer = await get('/circles/state')
  expect(answer.json()).toEqual({
    revision: snapshotNow().revision,
    stateHash: sha256(oracleBytes(chain)).toString('hex'),
    height: chain.tip?.height,
    blockHash: chain.tip?.hash,
  })
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
})

describe('GET /circles/states', () => {
  test('has the latest first, as many as requested', async () => {
    const states = oracleStates(chain)
    expect(states.length).toBeGreaterThan(3)
    expect((await get('/circles/states')).json()).toEqual({ items: states })
    expect((await get('/circles/states?limit=2')).json()).toEqual({ items: states.slice(0, 2) })
    expect((await get('/circles/states?limit=200')).json()).toEqual({ items: states })
  })

  test('continues by its Link to the end', async () => {
    const found: unknown[] = []
    for (let path: string | undefined = '/circles/states?limit=2'; path; ) {
      const answer = await get(path)
      expect(answer.statusCode, answer.body).toBe(200)
      found.push(...answer.json().items)
      expect(found.length).toBeLessThan(1_000)
      path = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers['link']))?.[1]
    }
    expect(found).toEqual(oracleStates(chain))
  })

  test.each(['', '-1', '1.5', 'a', '01', '5'])('cursor=%s is not valid', async (cursor) => {
    const answer = await get(`/circles/states?cursor=${cursor}`)
    expect([answer.statusCode, answer.json().message]).toEqual([400, 'cursor is invalid'])
  })

  test('has 50 by default', async () => {
    const asked: number[] = []
    await app.close()
    app = serve({
      states: (limit: number) => {
        asked.push(limit)
        return []
      },
    } as Partial<CircleViews> as CircleViews)
    await get('/circles/states')
    await get('/circles/states?limit=1')
    // One more is read: it shows whether there is a next page.
    expect(asked).toEqual([51, 2])
  })

  test.each(['0', '201', '-1', '-0', '99999999999999999999'])('limit=%s', async (limit) => {
    const answer = await get(`/circles/states?limit=${limit}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual(refusal(400, 'limit must be between 1 and 200'))
  })

  test.each(['', 'abc', '1.5', '1e3', '+1', '%201', '1&limit=2'])('limit=%s', async (limit) => {
    const answer = await get(`/circles/states?limit=${limit}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual(refusal(400, 'Validation failed (numeric string is expected)'))
  })
})

describe('look-ups', () => {
  test('give the record itself, whatever the case of the id', async () => {
    const { lineages, circles, shards } = snapshotNow()
    for (const one of lineages.slice(0, 5)) {
      expect((await get(`/circles/lineages/${one.lineageId}`)).json()).toEqual(one)
      expect((await get(`/circles/lineages/${one.lineageId.toUpperCase()}`)).json()).toEqual(one)
    }
    for (const one of circles.slice(0, 5)) {
      expect((await get(`/circles/circles/${one.txid}`)).json()).toEqual(one)
      expect((await get(`/circles/circles/${one.txid.toUpperCase()}`)).json()).toEqual(one)
    }
    for (const one of shards.slice(0, 5)) {
      expect((await get(`/circles/shards/${one.outpoint}`)).json()).toEqual(one)
      const encoded = encodeURIComponent(one.outpoint.toUpperCase())
      expect((await get(`/circles/shards/${encoded}`)).json()).toEqual(one)
    }
  })

  const zeros = '0'.repeat(64)
  test.each([
    [`lineages/${zeros}`, 'lineage not found'],
    [`circles/${zeros}`, 'circle not found'],
    [`shards/${zeros}:0`, 'shard not found'],
    [`shards/${zeros}:4294967295`, 'shard not found'],
  ])('%s is not there', async (path, message) => {
    const answer = await get(`/circles/${path}`)
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toEqual(refusal(404, message))
  })

  test.each([
    [`lineages/${zeros}0`, 'lineage id must be 32-byte hex'],
    ['lineages/%20', 'lineage id must be 32-byte hex'],
    ['lineages/%ff', 'lineage id must be 32-byte hex'],
    [`lineages/0x${zeros.slice(2)}`, 'lineage id must be 32-byte hex'],
    [`circles/${zeros.slice(1)}`, 'txid must be 32-byte hex'],
    [`circles/${'g'.repeat(64)}`, 'txid must be 32-byte hex'],
    [`circles/${'0'.repeat(5_000)}`, 'txid must be 32-byte hex'],
    [`shards/${zeros}`, 'outpoint is invalid'],
    [`shards/${zeros}:`, 'outpoint is invalid'],
    [`shards/${zeros}:00`, 'outpoint is invalid'],
    [`shards/${zeros}:-1`, 'outpoint is invalid'],
    [`shards/${zeros}:4294967296`, 'outpoint is invalid'],
    [`shards/${zeros}:0%0A`, 'outpoint is invalid'],
  ])('%s is malformed', async (path, message) => {
    const answer = await get(`/circles/${path}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual(refusal(400, message))
  })
})

test.each([
  ['GET', '/circles'],
  ['GET', '/circles/'],
  ['GET', '/circles/snapshots?x=1'],
  ['GET', '/circles/lineages'],
  ['POST', '/circles/snapshot'],
  ['DELETE', '/circles/state'],
] as const)('%s %s is not available', async (method, url) => {
  const answer = await app.inject({ method, url })
  expect(answer.statusCode).toBe(404)
  expect(answer.json()).toEqual(refusal(404, `Cannot ${method} ${url.replace('?x=1', '')}`))
})

test('GET /circles/schema.json is the JSON Schema of the snapshot', async () => {
  const answer = await get('/circles/schema.json')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('application/schema+json; charset=utf-8')
  expect(answer.json()).toEqual(circleSnapshotSchema())
})
