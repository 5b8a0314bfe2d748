import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisRefusedError } from '../../src/adapters/redis/errors.ts'
import { examineRedis } from '../../src/adapters/redis/examine.ts'
import { redisSizes } from '../../src/adapters/redis/sizes.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// The rights that the page names, and no other, on a real Redis.

const README = 'src/adapters/redis/README.md'
const USER = 'market'
const PASSWORD = 'a-password-of-the-test'

/** What follows the password in the page's command. */
function documentedRights(): string[] {
  const [, rights] = /ACL SETUSER market on >… ([^`]+)`/.exec(readFileSync(README, 'utf8')) ?? []
  return rights?.split(/\s+/) ?? []
}

let server: RedisServer
beforeAll(async () => {
  server = await RedisServer.start()
  await server.admin.call('ACL', 'SETUSER', USER, 'on', `>${PASSWORD}`, ...documentedRights())
})
afterAll(() => server.stop())

const place = { prefix: 'market', network: 'regtest', partitions: 1 } as const
const login = () => ({ url: server.url, user: USER, password: PASSWORD })

test('they suffice for the views, for doctor and for usage', async () => {
  const { url, ...user } = login()
  const views = await openRedisViews(url, { clock, ...place, ...user })
  expect(await views.views.freshness()).toEqual(new Map())
  views.close()
  expect(await examineRedis({ ...login(), ...place })).toMatchObject({ isMade: true })
  expect((await redisSizes({ ...login(), prefix: 'market' })).families.length).toBeGreaterThan(0)
})

const TRIED = ['+@read', '+@write', '+@scripting', '+@pubsub', '+info', '+time']

test.each(TRIED)('without %s a start is refused, and says so', async (right) => {
  expect(documentedRights()).toContain(right)
  const without = documentedRights().filter((one) => one !== right)
  const user = `without-${right.replace(/\W/g, '')}`
  await server.admin.call('ACL', 'SETUSER', user, 'on', `>${PASSWORD}`, ...without)
  const opening = openRedisViews(server.url, { clock, ...place, user, password: PASSWORD })
  await expect(opening).rejects.toThrow(RedisRefusedError)
})
