import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OrderArtifact, OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { OrderState } from '../../src/schemas/scalars.ts'
import { NostrEnvelope } from '../../src/schemas/wire/nostr.ts'
import { openTestApp, type TestApp, withoutPatience } from '../support/http/http.ts'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({
    http: { rateLimits: { artifact: 999, revalidate: 999, import: 999, portableEvent: 999 } },
  })
})
afterAll(() => it.close())

const LONG_AGO = '2026-01-01T00:00:00.000Z'
const stale = (order: OrderRecord): Partial<OrderRecord> => ({
  verifiedAt: LONG_AGO,
  validation: { ...order.validation, checkedAt: LONG_AGO },
})
const fresh = (order: OrderRecord): OrderRecord => {
  const now = new Date().toISOString()
  return { ...order, verifiedAt: now, validation: { ...order.validation, checkedAt: now } }
}
const seedStale = async (changes: Partial<OrderRecord> = {}) => {
  const order = await it.seed(changes)
  return it.seed({ ...order, ...stale(order) })
}
const url = (order: { id: string }, action = ''): string =>
  `/api/market/orders/${order.id}${action && `/${action}`}`

describe('GET /orders/{id}', () => {
  test('is the summary of the order', async () => {
    const order = await it.seed({ protocolId: 'inscriptions', token: 'punk' })
    const response = await it.get(url(order))
    expect(response.statusCode).toBe(200)
    expect(OrderSummary.parse(response.json())).toMatchObject({
      id: order.id,
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
      protocolId: 'inscriptions',
      token: 'punk',
    })
  })

  test('REVIEW_ONLY: a market that settles elsewhere, or is unknown, hands nothing over', async () => {
    for (const protocolId of ['doginals', 'xcp', 'no such market']) {
      const order = await it.seed({ protocolId })
      expect((await it.get(url(order))).json()).toMatchObject({ actionability: 'REVIEW_ONLY' })
    }
  })

  test('REVIEW_ONLY: what was verified too long ago [spec 3 rule 4]', async () => {
    const order = await seedStale()
    expect((await it.get(url(order))).json()).toMatchObject({
      state: 'LIVE',
      actionability: 'REVIEW_ONLY',
      validation: { checkedAt: LONG_AGO },
    })
  })
})

describe('GET /orders/{id}/artifact and /nostr-envelope', () => {
  test('the artifact of a LIVE order, with its verification', async () => {
    const order = await it.seed()
    const response = await it.get(url(order, 'artifact'))
    expect(response.statusCode).toBe(200)
    const artifact = OrderArtifact.parse(response.json())
    expect(artifact).toMatchObject({
      orderId: order.id,
      network: 'regtest',
      psbt: order.kept.artifact,
      digest: order.kept.inspection.digest,
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
      verification: { maxAgeSeconds: 600, stale: false },
      notices: [{ code: 'REPLACEABLE_BY_ANYONE' }],
    })
    expect(artifact.verification.checkedAt).toBe(artifact.validation.checkedAt)
  })

  test('an unsigned kind 802 event that announces it', async () => {
    const order = await it.seed()
    const before = Math.floor(Date.now() / 1_000)
    const response = await it.get(url(order, 'nostr-envelope'))
    expect(response.statusCode).toBe(200)
    const { created_at, tags, notice, ...event } = NostrEnvelope.parse(response.json())
    expect(event).toEqual({ kind: 802, content: order.kept.artifact })
    expect(created_at).toBeGreaterThanOrEqual(before)
    expect(notice).toMatch(/cannot be recalled/)
    const asset = order.assets[0]
    expect(tags).toEqual([
      ['n', 'regtest'],
      ['t', 'sell'],
      ...(asset ? [['i', asset.inscriptionId]] : []),
      ['u', order.outpoint],
      ...(order.quotedPriceSats ? [['s', order.quotedPriceSats]] : []),
      ['x', 'market'],
    ])
  })

  test('a bid is announced as one', async () => {
    const { kept } = await it.seed()
    const inspection = { ...kept.inspection, orderClass: 'BID_FULLY_FUNDED' as const }
    const bid = await it.seed({ kept: { ...kept, inspection }, side: 'BID', assets: [] })
    const artifact = OrderArtifact.parse((await it.get(url(bid, 'artifact'))).json())
    expect(artifact.notices).toEqual([])
    const { tags } = NostrEnvelope.parse((await it.get(url(bid, 'nostr-envelope'))).json())
    expect(tags).toContainEqual(['t', 'buy'])
    expect(tags.map(([name]) => name)).not.toContain('i')
  })

  const others = OrderState.options.filter((state) => state !== 'LIVE')
  test.each(others)(
    '%s releases nothing: 400 that names the state [spec 4.2 Artifact]',
    async (state) => {
      const order = await it.seed({ state, reason: 'why' })
      for (const action of ['artifact', 'nostr-envelope']) {
        const response = await it.get(url(order, action))
        expect(response.json()).toMatchObject({
          statusCode: 400,
          code: 'ORDER_NOT_LIVE',
          message: `the order is ${state} (why): only a LIVE order releases its artifact`,
        })
        expect(response.body).not.toContain(order.kept.artifact)
      }
    },
  )

  test('a stale one is rechecked first, and released when it is still LIVE', async () => {
    const order = await seedStale()
    const response = it.get(url(order, 'artifact'))
    const command = await it.commands.doNext(fresh(order))
    expect(command).toMatchObject({
      command: 'revalidate',
      orderId: order.id,
      outpoint: order.outpoint,
    })
    expect((await response).json()).toMatchObject({ verification: { stale: false } })
  })

  test('a stale one that is no longer LIVE is not released', async () => {
    const order = await seedStale()
    const response = it.get(url(order, 'artifact'))
    await it.commands.doNext({ ...fresh(order), state: 'SPENT', reason: 'spent' })
    expect((await response).json()).toMatchObject({ statusCode: 400, code: 'ORDER_NOT_LIVE' })
  })

  test.each(['NODE_UNAVAILABLE', 'ASSET_INDEX_UNAVAILABLE'] as const)(
    'a stale one while an authority is unavailable is 503 %s, and nothing is released',
    async (code) => {
      const order = await seedStale()
      const response = it.get(url(order, 'artifact'))
      await it.commands.refuseNext(code, 'the authority is unavailable')
      const { headers, body } = await response
      expect(JSON.parse(body)).toMatchObject({
        statusCode: 503,
        code,
        message: 'the authority is unavailable',
      })
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    },
  )

  test('a stale one without an answer of an authority in time is 504', async () => {
    const order = await seedStale()
    const response = await withoutPatience(it, () => it.get(url(order, 'artifact')))
    expect((await it.commands.next()).orderId).toBe(order.id)
    expect(response.json()).toMatchObject({ statusCode: 504, code: 'STILL_BEING_VERIFIED' })
  })

  test('one that a recheck leaves stale is not released', async () => {
    const order = await seedStale()
    const response = it.get(url(order, 'artifact'))
    await it.commands.doNext({ ...order, reason: 'unchanged' })
    expect((await response).json()).toMatchObject({ statusCode: 504, code: 'STILL_BEING_VERIFIED' })
  })
})

describe('POST /orders/{id}/revalidate', () => {
  test('201 with the order after its verification', async () => {
    const order = await seedStale()
    const response = it.post(url(order, 'revalidate'))
    await it.commands.doNext({
      ...fresh(order),
      state: 'MEMPOOL_CONFLICTED',
      reason: 'mempool_conflict',
    })
    const { statusCode, body } = await response
    expect(statusCode).toBe(201)
    expect(OrderSummary.parse(JSON.parse(body))).toMatchObject({
      id: order.id,
      state: 'MEMPOOL_CONFLICTED',
    })
  })

  test('two at once are two commands, each with a name of its own', async () => {
    const order = await it.seed()
    const id = { 'x-request-id': 'the-same' }
    const responses = [
      it.post(url(order, 'revalidate'), {}, id),
      it.post(url(order, 'revalidate'), {}, id),
    ]
    const first = await it.commands.doNext(fresh(order))
    const second = await it.commands.doNext(fresh(order))
    expect(first.requestId).not.toBe(second.requestId)
    for (const response of responses) expect((await response).statusCode).toBe(201)
  })

  test('what the actor refuses is answered with its code and its reason', async () => {
    const order = await it.seed()
    for (const [code, statusCode] of [
      ['NODE_UNAVAILABLE', 503],
      ['TOO_MANY_CLAIMS', 400],
      ['ORDER_NOT_FOUND', 404],
    ] as const) {
      const response = it.post(url(order, 'revalidate'))
      await it.commands.refuseNext(code, 'the exact reason')
      expect((await response).json()).toMatchObject({
        statusCode,
        code,
        message: 'the exact reason',
      })
    }
  })

  test('a refusal without a code of ours is a client error', async () => {
    const order = await it.seed()
    const response = it.post(url(order, 'revalidate'))
    await it.commands.refuseNext('SOMETHING_NEW', 'the exact reason')
    expect((await response).json()).toMatchObject({ statusCode: 400, code: 'BAD_REQUEST' })
  })

  test('nothing in time is 504 with the order id; the command stays in the log', async () => {
    const order = await it.seed()
    const response = await withoutPatience(it, () => it.post(url(order, 'revalidate')))
    expect((await it.commands.next()).orderId).toBe(order.id)
    expect(response.json()).toMatchObject({
      statusCode: 504,
      code: 'STILL_BEING_VERIFIED',
      message: `order ${order.id} is still being verified: read it later`,
    })
  })
})
