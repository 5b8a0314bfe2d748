import { afterEach, describe, expect, test } from 'vitest'
import { feedChecks } from '../../../src/operator/doctor/feeds.ts'
import type { Finding } from '../../../src/operator/doctor/finding.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { answering, openRogueRelay } from '../../support/faults/rogue-relay.ts'
import { type HttpAnswer, openHttpServer } from '../../support/http/http-server.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import { openTestRelay } from '../../support/services/relay.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

async function found(variables: Record<string, string>): Promise<Finding[]> {
  const checks = feedChecks(Config.parse(variables))
  return (await Promise.all(checks.map(({ look }) => look()))).flat()
}

describe('a relay', () => {
  test('that has events, and one that has none, answer', async () => {
    const relays = [await openTestRelay(), await openTestRelay()] as const
    for (const { stop } of relays) cleanUp.push(stop)
    const createdAt = Math.floor(Date.now() / 1_000)
    await relays[0].publish(saleEvent('content', [], { createdAt }))
    const [full, empty] = relays.map(({ url }) => url)
    expect(await found({ NOSTR_RELAYS: `${full},${empty}` })).toEqual([
      { status: 'ok', what: `${full} answers` },
      { status: 'ok', what: `${empty} answers` },
    ])
  })

  test('that wants authentication is of no use', async () => {
    const reason = 'auth-required: we only serve members'
    const onMessage = (message: unknown[], socket: Parameters<ReturnType<typeof answering>>[1]) =>
      answering(['CLOSED', message[1], reason])(message, socket)
    const relay = await openRogueRelay({ onMessage })
    cleanUp.push(relay.close)
    expect(await found({ NOSTR_TRUSTED_RELAYS: relay.url })).toEqual([
      {
        status: 'warn',
        what: `${relay.url} cannot be followed: the relay said: ${reason}`,
        cure: 'remove it from NOSTR_TRUSTED_RELAYS if this persists',
      },
    ])
  })

  test('is named without its query, which may hold a key', async () => {
    const { url, stop } = await openTestRelay()
    cleanUp.push(stop)
    expect(await found({ NOSTR_RELAYS: `${url}?key=secret` })).toEqual([
      { status: 'ok', what: `${url} answers` },
    ])
    expect(await found({ NOSTR_RELAYS: 'ws://127.0.0.1:1/?key=secret' })).toMatchObject([
      { what: expect.not.stringContaining('secret') },
    ])
  })

  test('that is not there is unreachable', async () => {
    expect(await found({ NOSTR_RELAYS: 'ws://127.0.0.1:1' })).toMatchObject([
      { status: 'warn', what: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:1\/ is unreachable: /) },
    ])
  })
})

describe('the offers', () => {
  const cure = expect.stringMatching(
    /^start ord there with --accept-offers, .* a login is sent to the server of ASSET_INDEX_URL alone$/,
  )

  test.each<[string, HttpAnswer, object]>([
    ['are there', { body: '{"offers":[]}' }, { status: 'ok' }],
    [
      'are not, on a server that answers',
      { status: 404, contentType: 'text/plain', body: 'this server does not accept offers' },
      { status: 'warn', what: expect.stringContaining('cannot be followed: HTTP 404'), cure },
    ],
    [
      'are a page for people',
      { contentType: 'text/html', body: '<html>' },
      { status: 'warn', what: expect.stringContaining('cannot be followed: HTTP 200'), cure },
    ],
  ])('%s', async (_, answer, finding) => {
    const server = await openHttpServer(() => answer)
    cleanUp.push(server.close)
    expect(await found({ OFFERS_URL: server.url })).toMatchObject([finding])
    expect(server.requests[0]?.path).toBe('/offers')
  })

  test('of the index are asked for with its login, and those of another server without', async () => {
    const isKnown = (authorization?: string) =>
      authorization === `Basic ${Buffer.from('maker:secret').toString('base64')}`
    const open = async () => {
      const server = await openHttpServer(({ headers }) =>
        isKnown(headers.authorization) ? { body: '{"offers":[]}' } : { status: 401, body: '' },
      )
      cleanUp.push(server.close)
      return server
    }
    const [index, other] = [await open(), await open()]
    const login = {
      ...{ ASSET_INDEX_URL: index.url, ASSET_INDEX_USER: 'maker', ASSET_INDEX_PASSWORD: 'secret' },
      ...{
        BITCOIN_RPC_URL: 'http://127.0.0.1:1',
        BITCOIN_RPC_USER: 'u',
        BITCOIN_RPC_PASSWORD: 'p',
      },
    }
    expect(await found({ ...login, OFFERS_URL: index.url })).toMatchObject([{ status: 'ok' }])
    expect(await found({ ...login, OFFERS_URL: other.url })).toMatchObject([
      { what: expect.stringContaining('HTTP 401'), cure },
    ])
    expect(other.requests[0]?.headers.authorization).toBeUndefined()
  })
})
