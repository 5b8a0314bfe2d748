import { inspect } from 'node:util'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operatorProblem } from '../../src/operator/operator-problem.ts'
import { createContext } from '../../src/roles/context/runtime-context.ts'
import { usesRedis } from '../../src/roles/open/redis-address.ts'
import { openRedisStores } from '../../src/roles/open/redis-stores.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'
import { waitUntil } from '../support/services/programs.ts'
import { RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

let server: RedisServer
const lines: string[] = []
const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })

beforeAll(async () => {
  server = await RedisServer.start()
})
afterAll(() => server.stop())
beforeEach(async () => {
  lines.length = 0
  await server.admin.flushall()
})

async function open(variables: Record<string, string> = {}) {
  const config = Config.parse({ REDIS_URL: server.url, CURSOR_KEY: 'k'.repeat(32), ...variables })
  if (!usesRedis(config)) throw new Error('REDIS_URL is set')
  const context = createContext(config, { clock, logger })
  const { closer } = context
  try {
    return { ...(await openRedisStores(config, context)), closer }
  } catch (error) {
    await closer.close()
    throw error
  }
}

test('without REDIS_URL no Redis is used', () => {
  expect(usesRedis(Config.parse({}))).toBe(false)
})

test('every store is under the prefix, and none is left open', async () => {
  const { views, idempotency, builds, closer } = await open({ REDIS_PREFIX: 'shop' })
  await views.probe()
  await idempotency.begin('s', 'c', 'h', clock.now())
  const built = {
    outpoint: toOutpointText(`${'ab'.repeat(32)}:0`),
    protocolId: 'p',
    token: 't',
    quotedPriceSats: '1',
  }
  await builds.remember(toTxid('11'.repeat(32)), built, clock.now())
  expect((await server.admin.keys('*')).filter((key) => !/^\{shop[:}]/.test(key))).toEqual([])
  await closer.close()
  await waitUntil('no connection is left', async () => {
    const clients = String(await server.admin.client('LIST'))
    return clients.trim().split('\n').length === 1
  })
})

test('what an operator must fix is reported as a problem, without the password', async () => {
  await server.admin.acl('SETUSER', 'service', 'on', '>good', '~*', '&*', '+@all')
  const failed = await open({ REDIS_USER: 'service', REDIS_PASSWORD: 'bad-word' }).catch((e) => e)
  expect(operatorProblem(failed)).toMatch(/^Redis rejected the user or password: set REDIS_USER/)
  expect(inspect(failed, { depth: 9 })).not.toContain('bad-word')
  const { views, closer } = await open({ REDIS_USER: 'service', REDIS_PASSWORD: 'good' })
  await server.admin.acl('SETUSER', 'service', 'resetpass', '>changed')
  await server.admin.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  const asked = () =>
    views.probe().then(
      () => '',
      (error) => inspect(error, { depth: 9 }),
    )
  await waitUntil('it is found out', async () => /REDIS_PASSWORD/.test(await asked()))
  expect(await asked()).not.toContain('good')
  await closer.close()
  const signet = await open({ BITCOIN_NETWORK: 'signet' }).catch((error) => error)
  expect(operatorProblem(signet)).toBe(
    'the views in Redis are for regtest, but BITCOIN_NETWORK is signet: set REDIS_PREFIX to another one',
  )
})

test('an unavailable Redis at the start is reported, and used once it is up', async () => {
  await server.halt()
  const { views, idempotency, closer } = await open()
  await waitUntil('the outage has its line', () => lines.length > 0)
  expect(lines.join()).toMatch(/"part":"redis".*"msg":"a part is away"/)
  await expect(views.probe()).rejects.toThrow(/^Redis: connect ECONNREFUSED/)
  await expect(idempotency.begin('s', 'c', 'h', 1)).rejects.toThrow(/^Redis: connect ECONNREFUSED/)
  await server.restart()
  await waitUntil('it is used', () =>
    views.probe().then(
      () => true,
      () => false,
    ),
  )
  expect(await idempotency.begin('s', 'c', 'h', 1)).toEqual({ status: 'new' })
  await closer.close()
})
