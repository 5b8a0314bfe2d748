import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { MarketClientError } from '../../clients/typescript/src/index.ts'
import { verifyWebhook, WebhookError } from '../../clients/typescript/src/webhooks.ts'

const SECRET = `whsec_${Buffer.from('a secret of the two, 32 bytes long').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another secret').toString('base64')}`
const CHANGE = {
  orderId: 'ab'.repeat(32),
  seq: 4,
  observedAt: '2026-01-31T12:00:00.000Z',
  entry: null,
  order: null,
}
const eventOf = (data: unknown, type = 'order.changed') =>
  JSON.stringify({ type, timestamp: CHANGE.observedAt, data })
const BODY = eventOf(CHANGE)

/**
 * Standard Webhooks 1.0, written independently of its library: HMAC-SHA256 over id, seconds and
 * body.
 */
function signed(body: string, { secret = SECRET, id = 'msg_1', age = 0 } = {}) {
  const seconds = String(Math.floor(Date.now() / 1_000) - age)
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  }
}

describe('a delivery that the service signed is accepted', () => {
  test('with its change, its id and its time', () => {
    const headers = signed(BODY)
    const { id, sentAt, type, change } = verifyWebhook({ headers, body: BODY }, SECRET)
    expect(id).toBe('msg_1')
    expect(sentAt.getTime()).toBe(Number(headers['webhook-timestamp']) * 1_000)
    expect([type, change]).toEqual(['order.changed', CHANGE])
  })

  test('of an unknown type', () => {
    const body = eventOf({}, 'order.renamed')
    const { type, change } = verifyWebhook({ headers: signed(body), body }, SECRET)
    expect([type, change]).toEqual(['order.renamed', null])
  })

  test('in each form of headers and body', () => {
    const headers = signed(BODY)
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    const body = new TextEncoder().encode(BODY)
    for (const given of [headers, new Headers(headers), upper])
      expect(verifyWebhook({ headers: given, body }, SECRET).change).toEqual(CHANGE)
  })

  test('with one of several secrets, and one of several signatures', () => {
    const headers = signed(BODY)
    expect(verifyWebhook({ headers, body: BODY }, [OTHER, SECRET]).id).toBe('msg_1')
    const theirs = signed(BODY, { secret: OTHER })['webhook-signature']
    const both = { ...headers, 'webhook-signature': `${theirs} ${headers['webhook-signature']}` }
    expect(verifyWebhook({ headers: both, body: BODY }, SECRET).id).toBe('msg_1')
  })
})

describe('any other is refused', () => {
  const refusal = (
    headers: Record<string, string | string[]>,
    body: string | Uint8Array = BODY,
  ) => {
    try {
      verifyWebhook({ headers, body }, SECRET)
    } catch (error) {
      expect(error).toBeInstanceOf(WebhookError)
      expect(error).toBeInstanceOf(MarketClientError)
      return (error as Error).message
    }
    return null
  }

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s', (name) => {
    expect(refusal({ ...signed(BODY), [name]: '' })).toBe(`${name} is missing`)
    expect(refusal({ ...signed(BODY), [name]: ['a', 'b'] })).toBe(`${name} is missing`)
  })

  test('signed with another secret, or for another body, id or time', () => {
    const headers = signed(BODY)
    const message = 'the delivery is not signed: No matching signature found'
    expect(refusal(signed(BODY, { secret: OTHER }))).toBe(message)
    expect(refusal(headers, `${BODY} `)).toBe(message)
    expect(refusal({ ...headers, 'webhook-id': 'msg_2' })).toBe(message)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(refusal({ ...headers, 'webhook-timestamp': later })).toBe(message)
  })

  test.each(['v1', 'v1,', 'v2,AAAA', ',', 'v1a,AAAA'])('with the signature %j', (signature) => {
    expect(refusal({ ...signed(BODY), 'webhook-signature': signature })).toMatch(/^the delivery is/)
  })

  test('older than five minutes, or in the future', () => {
    expect(refusal(signed(BODY, { age: 400 }))).toContain('too old')
    expect(refusal(signed(BODY, { age: -400 }))).toContain('too new')
    expect(refusal({ ...signed(BODY), 'webhook-timestamp': 'now' })).toContain('Invalid')
  })

  test.each([
    ...['', '{', '[]', 'null', '{"type":1}'],
    ...[null, { orderId: 1, seq: 1 }, { orderId: 'a' }].map((data) => eventOf(data)),
  ])('that is signed, but not an event: %j', (body) => {
    expect(refusal(signed(body), body)).toMatch(/^the (body is not|event has no) /)
  })

  test('that is not UTF-8', () => {
    expect(refusal(signed(BODY), Uint8Array.of(0xff))).toBe('the body is not UTF-8')
  })
})

test('without a secret nothing is accepted, and an invalid secret is a programming error', () => {
  const delivery = { headers: signed(BODY), body: BODY }
  expect(() => verifyWebhook(delivery, [])).toThrow('no secret is given')
  expect(() => verifyWebhook(delivery, 'whsec_')).toThrow("Secret can't be empty")
})
