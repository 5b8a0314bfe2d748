import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultOfProof, parseProof } from '../../../src/pairing/agreement/check-proof.ts'
import { openPairingIndex, type PairingIndex } from '../../../src/pairing/pairing-index.ts'
import { AgreementEnvelope, type PairingEvent } from '../../../src/schemas/api/pairing.ts'
import { memoryPairingStore } from '../../support/folds/memory-pairing-store.ts'
import { toTxid } from '../../support/ids.ts'
import {
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  p2wsh,
  transactionOf,
} from '../../support/pairing/pairing-blocks.ts'
import {
  hash,
  openPipelines,
  type Pipelines,
  signerOf,
  tupleAt,
} from '../../support/pairing/pairing-pipeline.ts'
import { SETTINGS } from '../../support/pairing/pairing-story.ts'

// The routes besides those of the contract, over an index of a chain of five objects.

const TOKEN = `mkt_${'x'.repeat(43)}`
const OPERATORS = [{ name: 'ada', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const ADDRESS_SEED = 1

let index: PairingIndex
let world: Pipelines
beforeAll(async () => {
  index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  const chain = new LittleChain()
  for (let seed = 1; seed <= 5; seed += 1) {
    const tx = transactionOf(
      [elsewhere(seed)],
      [p2wsh(ADDRESS_SEED), create(0, hashBytes(seed), `name-${seed}`)],
    )
    await index.connect([chain.mine(tx)])
  }
  world = await openPipelines({ parts: { views: index }, operators: OPERATORS })
})
afterAll(() => world.close())

const nextOf = (headers: Record<string, unknown>): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(String(headers['link']))?.[1]

/** Every page of a list, by its Link. */
async function walk<T>(path: string, items: (body: never) => readonly T[]): Promise<T[]> {
  const all: T[] = []
  for (let next: string | undefined = path; next; ) {
    const answer = await world.get(next)
    expect(answer.statusCode, answer.body).toBe(200)
    all.push(...items(answer.json() as never))
    expect(all.length).toBeLessThan(100)
    next = nextOf(answer.headers)
  }
  return all
}

describe('a list continues by its Link, and its bodies do not change', () => {
  test.each(['objects', 'carriers', 'checkpoints'] as const)('%s', async (name) => {
    const expected = index.read((view) => view[name](200))
    expect(expected).toHaveLength(5)
    const items = (body: { items: unknown[] }) => {
      expect(Object.keys(body)).toEqual(['items'])
      return body.items
    }
    expect(await walk(`/pairing/${name}?limit=2`, items)).toEqual(expected)
    const whole = await world.get(`/pairing/${name}?limit=5`)
    expect(whole.headers['link']).toBeUndefined()
  })

  test('events of an object, newest first', async () => {
    const [object] = index.read((view) => view.objects(1))
    const path = `/pairing/objects/${object?.objectKey.toUpperCase()}/events?limit=1`
    const events = await walk(path, (body: { objectKey: string; events: PairingEvent[] }) => {
      expect(body.objectKey).toBe(object?.objectKey)
      return body.events
    })
    expect(events).toEqual(index.read((view) => view.events(object?.createdTxid ?? toTxid(''))))
  })

  const listPaths = (): string[] => {
    const [object, other] = index.read((view) => view.objects(2))
    return [
      '/pairing/objects?',
      '/pairing/carriers?',
      '/pairing/checkpoints?',
      `/pairing/objects/${object?.objectKey}/events?`,
      `/pairing/objects/${other?.objectKey}/events?`,
      '/pairing/verified/search?q=a&',
      '/pairing/verified/search?q=name&',
      `/pairing/verified/addresses/${object?.address}?`,
    ]
  }
  const isRefused = async (path: string, cursor: string) => {
    const answer = await world.get(`${path}cursor=${encodeURIComponent(cursor)}`)
    expect([answer.statusCode, answer.json().message], path).toEqual([400, 'cursor is invalid'])
  }

  // The last four have the form of places, which no list gives out.
  test.each([
    ...['x', 'ab', '', '0'.repeat(25), '../1'],
    ...['0'.repeat(24), '0'.repeat(32), '5', `o.${'a'.repeat(64)}`],
  ])('%j is not a cursor', async (cursor) => {
    for (const path of listPaths()) await isRefused(path, cursor)
  })

  test('a cursor of one list is none of another, nor is one that was changed', async () => {
    const cursors: [path: string, cursor: string][] = []
    for (const path of listPaths()) {
      const next = nextOf((await world.get(`${path}limit=1`)).headers)
      const cursor = next && new URLSearchParams(next.split('?')[1]).get('cursor')
      if (cursor) cursors.push([path, cursor])
    }
    expect(cursors.length).toBeGreaterThanOrEqual(3)
    for (const [path, cursor] of cursors) {
      expect((await world.get(`${path}limit=2&cursor=${cursor}`)).statusCode).toBe(200)
      await isRefused(path, `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`)
      for (const other of listPaths()) if (other !== path) await isRefused(other, cursor)
    }
  })

  test('a wrong limit is reported before a wrong cursor, and both before the object is looked up', async () => {
    const path = `/pairing/objects/${hash('nowhere')}/events`
    const messageOf = async (query: string) => (await world.get(path + query)).json().message
    expect(await messageOf('?limit=0&cursor=x')).toBe('limit must be between 1 and 200')
    expect(await messageOf('?cursor=x')).toBe('cursor is invalid')
    expect(await messageOf('')).toBe('object not found')
  })
})

describe('a proof', () => {
  test('comes with what this pipeline has signed for the checkpoint, and an ETag', async () => {
    const [object] = index.read((view) => view.objects(1))
    const [event] = index.read((view) => view.events(object?.createdTxid ?? toTxid('')))
    for (const path of [
      `/pairing/objects/${object?.objectKey}/proof`,
      `/pairing/carriers/${object?.createdTxid}/0/proof`,
      `/pairing/events/${event?.txid}/0/proof`,
    ]) {
      const answer = await world.get(path)
      expect(answer.statusCode, answer.body).toBe(200)
      expect(answer.headers['etag']).toMatch(/^"/)
      const proof = parseProof(answer.rawPayload)
      expect(faultOfProof(proof)).toBeNull()
      const agreement = await world.get(`/pairing/agreement/${proof.checkpoint.height}`)
      expect(proof.envelope).toEqual(AgreementEnvelope.parse(agreement.json()))
    }
  })

  test.each([
    [`objects/${hash('nowhere')}/proof`, 404, 'object not found'],
    [`carriers/${hash('nowhere')}/0/proof`, 404, 'carrier not found'],
    [`events/${hash('nowhere')}/0/proof`, 404, 'event not found'],
    [`events/${hash('nowhere')}/-1/proof`, 404, 'event not found'],
    ['objects/0x/proof', 400, 'object key must be 32-byte hex'],
    ['carriers/00/a/proof', 400, 'Validation failed (numeric string is expected)'],
    ['events/00/0/proof', 400, 'txid must be 32-byte hex'],
  ])('of %s is %i', async (path, status, message) => {
    const answer = await world.get(`/pairing/${path}`)
    expect([answer.statusCode, answer.json().message]).toEqual([status, message])
  })
})

describe('the ledger of divergences', () => {
  const read = (token: string, path = '/pairing/divergences') =>
    world.app.inject({ method: 'GET', url: path, headers: { authorization: token } })

  test('is for operators only', async () => {
    for (const token of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
      const answer = await read(token)
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /)
      expect(answer.json()).toEqual({
        message: 'Authorization: must be Bearer and the token of an operator',
        error: 'Unauthorized',
        statusCode: 401,
      })
    }
  })

  test('counts failed logins as the routes of the market do, in messages, and no operator', async () => {
    for (let failures = 4; failures < 10; failures += 1)
      expect((await read('Bearer x')).statusCode).toBe(401)
    const refused = await read('Bearer x')
    expect(refused.headers['retry-after']).toBe('60')
    expect(refused.json()).toMatchObject({ statusCode: 429, error: 'Too Many Requests' })
    expect((await read(`Bearer ${TOKEN}`)).statusCode).toBe(200)
  })

  test('is read by pages, newest first, with both envelopes', async () => {
    const divergences = [1, 2, 3].map((height) => ({
      field: 'objectsRoot' as const,
      height,
      own: signerOf('A', 'a1').seal(tupleAt(height)),
      peer: signerOf('B', 'b1').seal({ ...tupleAt(height), objectsRoot: hash('lie') }),
      firstSeenAt: new Date(height).toISOString(),
    }))
    for (const one of divergences) await world.divergences.note(one)
    const found: unknown[] = []
    for (let path: string | undefined = '/pairing/divergences?limit=2'; path; ) {
      const answer = await read(`Bearer ${TOKEN}`, path)
      expect(answer.statusCode, answer.body).toBe(200)
      found.push(...answer.json().items)
      expect(found.length).toBeLessThan(100)
      path = nextOf(answer.headers)
    }
    expect(found).toEqual(divergences.toReversed())
    const wrong = await read(`Bearer ${TOKEN}`, '/pairing/divergences?cursor=x')
    expect([wrong.statusCode, wrong.json().message]).toEqual([400, 'cursor is invalid'])
  })
})
