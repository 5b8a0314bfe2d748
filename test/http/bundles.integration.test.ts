import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import type { OrderVersions } from '../../src/ports/views/order-versions.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import { type ChangeRecord, TOPICS } from '../../src/schemas/log.ts'
import { nodeWith } from '../support/chain/scripted-authorities.ts'
import { historyWith, openTestApp, type TestApp } from '../support/http/http.ts'
import { marketLives } from '../support/statistics/market-lives.ts'

// The parts of a bundle that may be missing; the contents of one are in
// test/roles/disputes.integration.test.ts.

const CHANGES = marketLives(40, 11).find(
  (changes) => changes.length > 4 && changes.every(({ set }) => !set.hidden),
)!
const ID = CHANGES[0]!.orderId

let it: TestApp
let places: OrderVersions['places']
let isNodeAway: boolean
const away = async () => {
  throw new NodeUnavailableError('node_unavailable', 'no answer')
}
beforeAll(async () => {
  const node = nodeWith({
    rawHeaders: (hashes) => (isNodeAway ? away() : Promise.resolve(hashes.map(() => null))),
    merkleProof: async () => null,
  })
  it = await openTestApp({
    http: { rateLimits: { artifact: 20 } },
    ports: {
      node,
      history: historyWith(async () => ({ entries: [], next: null })),
      versions: {
        versions: async () => ({ versions: [], next: null }),
        places: (...asked) => places(...asked),
      },
    },
  })
  await it.gateway.views.apply({ partition: 0, nextOffset: 0, records: [...CHANGES] })
  await it.gateway.log.append(
    CHANGES.map((value: ChangeRecord) => ({
      topic: TOPICS.lifecycle,
      partition: 0,
      key: ID,
      value,
    })),
  )
})
afterAll(() => it.close())

const stored: OrderVersions['places'] = async (_id, upTo, most) => {
  const found: { seq: number; partition: number; offset: number }[] = []
  for await (const batch of it.gateway.log.stored(TOPICS.lifecycle, 0, 0))
    for (const { offset, value } of batch)
      found.push({ seq: (value as ChangeRecord).seq, partition: 0, offset })
  return found.filter(({ seq }) => seq <= upTo).slice(-most)
}
const get = () => it.get(`/api/market/orders/${ID}/bundle`)

test('from a node that proves nothing has no proofs, and all changes', async () => {
  places = stored
  isNodeAway = false
  const answer = await get()
  expect(answer.statusCode, answer.body).toBe(200)
  const bundle = DisputeBundle.parse(answer.json())
  expect(bundle.changes).toHaveLength(CHANGES.length)
  expect(bundle.proofs).toEqual({ output: null, spend: null, headers: [] })
  const again = await it.get(`/api/market/orders/${ID}/bundle`, {
    'if-none-match': String(answer.headers.etag),
  })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test.each([
  ['the node is unavailable', stored, true, 'NODE_UNAVAILABLE'],
  ['the history lags', async () => [], false, 'HISTORY_UNAVAILABLE'],
  [
    'the log has something else there',
    async () => [{ seq: CHANGES.length, partition: 0, offset: 0 }],
    false,
    'HISTORY_UNAVAILABLE',
  ],
] as const)('while %s there is none: %s', async (_what, answered, nodeAway, code) => {
  places = answered
  isNodeAway = nodeAway
  const answer = await get()
  expect(answer.json()).toMatchObject({ statusCode: 503, code })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

test('counts in the limit of the artifact', async () => {
  places = stored
  isNodeAway = false
  for (let n = 0; n < 20; n += 1) await it.get(`/api/market/orders/${'0'.repeat(64)}/artifact`)
  expect((await get()).json()).toMatchObject({ statusCode: 429, code: 'MARKET_RATE_LIMITED' })
})
