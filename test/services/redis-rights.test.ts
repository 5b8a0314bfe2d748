import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisRefusedError } from '../../src/adapters/redis/client/errors.ts'
import { examineRedis } from '../../src/adapters/redis/examine.ts'
import {
  ALL_REDIS_USES,
  patternOf,
  type RedisRights,
  redisRights,
  redisRules,
} from '../../src/adapters/redis/rights/redis-uses.ts'
import { redisSizes } from '../../src/adapters/redis/sizes.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// The rights of the whole service, and no other, on a real Redis.

const USER = 'market'
const PASSWORD = 'a-password-of-the-test'
const ROOT = '{market}:'
const ALL = redisRights(ALL_REDIS_USES)
/** Without those that see every key. */
const SERVICE_USES = ALL_REDIS_USES.filter((use) => use !== 'sizes')
const SERVICE = redisRights(SERVICE_USES)

let server: RedisServer
beforeAll(async () => {
  server = await RedisServer.start()
  await grant(USER, ALL)
})
afterAll(() => server.stop())

const grant = (user: string, rights: RedisRights) =>
  server.admin.acl('SETUSER', user, 'reset', 'on', `>${PASSWORD}`, ...redisRules(rights, ROOT))

const place = { prefix: 'market', network: 'regtest', partitions: 1 } as const
const login = () => ({ url: server.url, user: USER, password: PASSWORD })

test('they suffice for the views, for doctor and for usage', async () => {
  const { url, ...user } = login()
  const views = await openRedisViews(url, { clock, ...place, ...user })
  expect(await views.views.freshness()).toEqual(new Map())
  views.close()
  const examined = await examineRedis({ ...login(), ...place, uses: ALL_REDIS_USES })
  expect(examined).toMatchObject({ isMade: true })
  expect((await redisSizes({ ...login(), prefix: 'market' })).families.length).toBeGreaterThan(0)
})

const opening = async (uses = ALL_REDIS_USES) => {
  const login = { user: 'poor', password: PASSWORD }
  const { close } = await openRedisViews(server.url, { clock, ...place, ...login, uses })
  close()
}

test.each(ALL.commands)('without +%s a start is refused, and says so', async (command) => {
  const commands = ALL.commands.filter((one) => one !== command)
  await grant('poor', { ...ALL, commands })
  const refused = opening()
  await expect(refused).rejects.toThrow(RedisRefusedError)
  await expect(refused).rejects.toThrow(new RegExp(`NOPERM .*'${command.replace('|', '\\|')}'`))
})

test.each(SERVICE.keys.map((right) => [patternOf(right, ROOT), right] as const))(
  'without the keys %s a start is refused, and names them',
  async (pattern, right) => {
    const keys = SERVICE.keys.filter((one) => one !== right)
    await grant('poor', { ...SERVICE, keys })
    const refused = opening(SERVICE_USES)
    await expect(refused).rejects.toThrow(RedisRefusedError)
    await expect(refused).rejects.toThrow(right.name === 'tried:*' ? 'NOPERM' : pattern)
  },
)
