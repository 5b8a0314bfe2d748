import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import {
  deriveSecret,
  keyIdOf,
  signedHeaders,
} from '../../../src/domain/webhooks/webhook-secrets.ts'
import { ConfiguredWebhook } from '../../../src/schemas/webhooks/webhook-records.ts'

const KEY = new Uint8Array(32).fill(1)
const OTHER = new Uint8Array(32).fill(2)
const of = { name: 'shop', generation: 1, version: 1 }

test('a secret differs for every key, name, generation and version, and is reproducible', () => {
  const secrets = [
    deriveSecret(KEY, of),
    deriveSecret(OTHER, of),
    deriveSecret(KEY, { ...of, name: 'shop-1' }),
    deriveSecret(KEY, { ...of, generation: 2 }),
    deriveSecret(KEY, { ...of, version: 2 }),
  ]
  expect(new Set(secrets).size).toBe(5)
  expect(deriveSecret(KEY, of)).toBe(secrets[0])
  expect(keyIdOf(KEY)).not.toBe(keyIdOf(OTHER))
  // One like it may be in the configuration.
  const { success } = ConfiguredWebhook.safeParse({
    name: 'a',
    url: 'https://a.example',
    secrets: [secrets[0]],
  })
  expect(success).toBe(true)
})

test('what is signed with two secrets is verified with each, and with no other', () => {
  const [now, before, other] = [1, 2, 3].map((version) => deriveSecret(KEY, { ...of, version }))
  const message = { id: 'a:1', body: '{"a":1}', at: Date.now() }
  const headers = signedHeaders(message, [now ?? '', before ?? ''])
  for (const secret of [now, before]) {
    expect(new Webhook(secret ?? '').verify(message.body, headers)).toEqual({ a: 1 })
  }
  expect(() => new Webhook(other ?? '').verify(message.body, headers)).toThrow()
  expect(() => new Webhook(now ?? '').verify('{"a":2}', headers)).toThrow()
})

test('the vector of the specification of Standard Webhooks', () => {
  const headers = signedHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      at: 1_614_265_330_000,
    },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  )
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})
