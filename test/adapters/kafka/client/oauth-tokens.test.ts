import { afterEach, beforeEach, expect, test } from 'vitest'
import { oauthTokens } from '../../../../src/adapters/kafka/client/oauth-tokens.ts'
import { TokenEndpoint } from '../../../support/logins/token-endpoint.ts'
import { ManualClock } from '../../../support/manual-clock.ts'

const CLIENT = { id: 'market: a client', secret: 'a secret+of/one%' }
const LIFE_SECONDS = 300
let endpoint: TokenEndpoint
let clock: ManualClock

beforeEach(async () => {
  endpoint = await TokenEndpoint.open(CLIENT)
  clock = new ManualClock()
})
afterEach(() => endpoint.close())

const tokens = (secret = CLIENT.secret) =>
  oauthTokens({ tokenUrl: endpoint.tokenUrl, id: CLIENT.id, secret }, clock)

test('a token serves for half of its life, whoever asks at once', async () => {
  const next = tokens()
  const [first, same] = await Promise.all([next(), next()])
  expect(same).toEqual(first)
  clock.advance(LIFE_SECONDS * 500 - 1)
  expect(await next()).toEqual(first)
  expect(endpoint.given).toBe(1)
  clock.advance(1)
  await Promise.all([next(), next()])
  expect(endpoint.given).toBe(2)
})

test('one that soon ends serves one connection', async () => {
  endpoint.lifetimeSeconds = 15
  const next = tokens()
  await next()
  await next()
  expect(endpoint.given).toBe(2)
})

test('a client that the endpoint does not know is refused, without its secret', async () => {
  const error = await tokens('another secret')().catch((cause: Error) => cause)
  expect(error).toMatchObject({
    name: 'KafkaRefusedError',
    message: `${endpoint.tokenUrl} gives this client no token (401): set KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE`,
  })
})

test('while the endpoint is away, asking is tried again', async () => {
  const next = tokens()
  const { tokenUrl } = endpoint
  await endpoint.close()
  await expect(next()).rejects.toMatchObject({ name: 'KafkaJSError', retriable: true })
  await expect(next()).rejects.toThrow(`${tokenUrl} gave no token: fetch failed (ECONNREFUSED)`)
  endpoint = await TokenEndpoint.open(CLIENT)
})
