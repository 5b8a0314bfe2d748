import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { redisAcl, redisAclLines } from '../../src/operator/acl/redis-acl.ts'
import { createContext } from '../../src/roles/context/runtime-context.ts'
import { usesRedis } from '../../src/roles/open/redis-address.ts'
import { openRedisStores } from '../../src/roles/open/redis-stores.ts'
import { SERVER_COMMANDS } from '../../src/roles/rights/command-needs.ts'
import { needsOfAll, needsOfCommand, redisUsesOf } from '../../src/roles/rights/needs-of.ts'
import { needsOfRole } from '../../src/roles/rights/role-needs.ts'
import type { ServerNeeds } from '../../src/roles/rights/server-needs.ts'
import { Config, ROLES } from '../../src/schemas/config/config.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type CertificateFiles, Certificates } from '../support/logins/certificates.ts'
import { freePort } from '../support/services/programs.ts'
import { openKeyspace, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// A real Redis over TLS, with the users of `market acl redis` and an authority that Node does not know.

const LOGIN = { user: 'market', password: 'of-the-market' }
const ROLES_OF_REDIS = ROLES.filter((role) => redisUsesOf(needsOfRole(role)).length > 0)
const COMMANDS_OF_VIEWS = SERVER_COMMANDS.filter((command) =>
  redisUsesOf(needsOfCommand(command, 'all')).includes('readViews'),
)
/** Each has what `market acl redis` prints for it. */
const USERS: readonly { name: string; needs: readonly ServerNeeds[] }[] = [
  { name: LOGIN.user, needs: needsOfAll() },
  ...ROLES_OF_REDIS.map((role) => ({ name: role, needs: needsOfRole(role) })),
  ...COMMANDS_OF_VIEWS.map((command) => ({
    ...{ name: command.replaceAll(' ', '-'), needs: needsOfCommand(command, 'all') },
  })),
]
const configOf = (variables: object) =>
  Config.parse({
    ...{ REDIS_URL: 'rediss://redis', CURSOR_KEY: 'k'.repeat(32), ORDER_PARTITIONS: '1' },
    ...variables,
  })
const wordsOf = (line: string) => line.split(' ') as [string, ...string[]]
const folder = temporaryDirectory()
let authority: CertificateFiles
let redis: RedisServer
let url: string

beforeAll(async () => {
  const certificates = new Certificates(folder.path)
  authority = certificates.authority('authority')
  const { cert, key } = certificates.signed(authority, 'redis', { san: 'IP:127.0.0.1' })
  const port = await freePort()
  url = `rediss://127.0.0.1:${port}`
  redis = await RedisServer.start({
    'tls-port': String(port),
    'tls-cert-file': cert,
    'tls-key-file': key,
    'tls-ca-cert-file': authority.cert,
    'tls-auth-clients': 'no',
  })
  for (const { name, needs } of USERS) {
    const [line = ''] = redisAclLines(redisAcl(configOf({}), needs, name))
    await redis.admin.call(...wordsOf(line.replace('>PASSWORD', `>${LOGIN.password}`)))
  }
})
afterAll(async () => {
  await redis?.stop()
  folder.drop()
})

test('is used with the authority of the configuration', async () => {
  const keyspace = await openKeyspace(url, { ...LOGIN, ca: authority.cert })
  expect(await keyspace.connection.trouble()).toBeNull()
  expect(String(await redis.admin.client('LIST'))).toContain(` user=${LOGIN.user} `)
  keyspace.close()
})

test('is not used without it', async () => {
  const keyspace = await openKeyspace(url, LOGIN)
  expect((await keyspace.connection.trouble())?.message).toContain('self-signed certificate')
  keyspace.close()
})

test.each(USERS.slice(1))(
  '$name has what it needs by the rights printed for it',
  async ({ name, needs }) => {
    const config = configOf({
      ...{ REDIS_URL: url, REDIS_TLS_CA_FILE: authority.cert },
      ...{ REDIS_USER: name, REDIS_PASSWORD: LOGIN.password },
    })
    if (!usesRedis(config)) throw new Error('REDIS_URL is set')
    await using context = createContext(config, { clock, logger: pino({ level: 'silent' }), needs })
    // It tries each command and each pattern of keys, and refuses a user that lacks one.
    const { views } = await openRedisStores(config, context)
    await views.freshness()
    expect(String(await redis.admin.client('LIST'))).toContain(` user=${name} `)
    expect(String(await redis.admin.acl('GETUSER', name))).not.toContain('+@all')
  },
)

test('without one of its rights a role is refused over TLS too', async () => {
  const needs = needsOfRole('projector')
  const [line = ''] = redisAclLines(redisAcl(configOf({}), needs, 'poor'))
  const granted = line.replace('>PASSWORD', `>${LOGIN.password}`).replace(' +xadd', '')
  await redis.admin.call(...wordsOf(granted))
  const poor = { ...LOGIN, user: 'poor' }
  const opening = openKeyspace(url, { ...poor, ca: authority.cert, uses: redisUsesOf(needs) })
  await expect(opening).rejects.toThrow(/market acl redis.*NOPERM .*'xadd'/)
})

test('a file that cannot be read refuses the start', async () => {
  const opening = openKeyspace(url, { ...LOGIN, ca: `${authority.cert}-gone` })
  await expect(opening).rejects.toMatchObject({
    name: 'RedisRefusedError',
    message: `REDIS_TLS_CA_FILE=${authority.cert}-gone cannot be read (ENOENT)`,
  })
})
